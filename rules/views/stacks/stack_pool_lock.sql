-- table: one row per place where workers of a pool, each alone in its process, want a lock:
-- nobody is left who could release it. n: workers.
with
    worker as (
        select
            *,
            coalesce(frame_with_line(own), decided.f) as stands_in,
            lag(own_key) over w <> own_key as moved,
            row_number() over (partition by process order by snapshot desc) as back
        from stack_main
        where role = 'pool worker' and failure is null
        window w as (partition by process order by snapshot)
    )
select
    stands_in,
    any_value(own.f) as function,
    list(pid order by pid) filter (pid is not null) as pids,
    count(*) as n,
    list(distinct host) filter (host is not null) as hosts,
    list(
        line_at(file_id, coalesce(own.line, thread_line)) order by file_id, thread_line
    ) as evidence
from worker
where
    back = 1
    and worker_wants_lock
    and not coalesce(moved, false)
    and not exists (
        from stack_thread_place as t
        where t.dump = worker.dump and not t.is_main and t.own is not null and t.class <> 'helper'
    )
group by stands_in
