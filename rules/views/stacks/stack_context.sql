-- table: one row per dumped process worth a word where nobody stands apart: the last dump of it,
-- unless that shows its death. of_job: it is a rank.
with
    living as (
        select *
        from stack_main m
        where
            not exists (
                from signal_stack s
                where s.file_id = m.file_id and s.line_no - m.thread_line between 0 and 2
            )
    )
select
    r.process,
    true as of_job,
    r.role,
    r.rank,
    r.rank_guessed,
    r.host,
    r.pid,
    r.file_id,
    r.thread_line,
    r.snapshots,
    r.class,
    r.awaits,
    r.decided,
    r.top,
    r.own,
    r.place,
    r.innermost,
    r.cmdline,
    r.moved,
    r.peer
from stack_rank as r
semi join living using (file_id, thread_line)
where not r.failed
union all by name
select
    process,
    false as of_job,
    role,
    rank,
    rank_guessed,
    host,
    pid,
    file_id,
    thread_line,
    snapshots,
    class,
    awaits,
    decided,
    top,
    own,
    place,
    innermost,
    cmdline,
    null as moved,
    false as peer
from living
where
    (role in ('service', 'driver', 'other') or source_kind = 'backtrace')
    and failure is null
    and process not in (select process from stack_rank where not failed)
qualify row_number() over (partition by process order by snapshot desc) = 1
