-- table: one row per dump of what may be a rank: is it none (runs_other_program), or one that seems
-- to serve (is_rank_at_heart)? Ranks run one program: who runs another beside many of them is their
-- driver or a server of the job. A child is no rank where nobody of its parent's children waits for
-- peers, and others do. An event loop is a rank's where it is called as those that wait are.
with
    candidate as (
        select
            *,
            class in (
                'collective-wait', 'collective-launch', 'p2p-wait', 'gpu-sync', 'store-wait', 'init'
            ) as waits,
            calls_without_lines(own_path[:2]) as outermost
        from stack_dump
        where role in ('rank', 'service')
    ),
    child as (
        select d.dump, d.waits, p.pid as parent
        from candidate as d
        join
            stack_parent as p
            on p.file_id = d.file_id
            and p.stream = d.stream
            and p.line_no between d.line_no and coalesce(d.thread_line, d.line_no + 3)
        where p.pid in (select pid from candidate where role = 'rank')
    ),
    helper as (
        select dump
        from child
        where
            parent not in (select parent from child where waits)
            and exists (from candidate where waits and dump not in (select dump from child))
    ),
    ran as (
        select
            dump,
            pid,
            regexp_replace(
                regexp_replace(cmdline, '^(ray::[0-9A-Za-z_]+).*', '\1'), '[0-9]+', '#', 'g'
            ) as program
        from candidate
        where role = 'rank' and nullif(cmdline, '') is not null
    ),
    program as (select program, count(distinct pid) as processes from ran group by program),
    total as (
        select
            (select max(processes) from program) as most,
            (select count(distinct pid) from ran) as processes
    )
select
    c.dump,
    c.dump in (select dump from helper)
    or coalesce(
        t.most >= 2 and 3 * t.most >= 2 * t.processes and 3 * p.processes <= t.processes, false
    ) as runs_other_program,
    c.role = 'service'
    and len(c.own_path) > 2
    and c.outermost in (select outermost from candidate where waits) as is_rank_at_heart
from candidate as c
left join ran as r using (dump)
left join program as p on p.program is not distinct from r.program and r.dump is not null
cross join total as t
