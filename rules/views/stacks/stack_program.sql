-- table: one row per dump with a command line: does it run another program than the ranks? Ranks
-- run one program: who runs another beside many of them is their driver or a server of the job.
with
    ran as (
        select
            dump,
            pid,
            regexp_replace(
                regexp_replace(cmdline, '^(ray::[0-9A-Za-z_]+).*', '\1'), '[0-9]+', '#', 'g'
            ) as program
        from stack_dump
        where role = 'rank' and nullif(cmdline, '') is not null
    ),
    program as (select program, count(distinct pid) as processes from ran group by program),
    total as (
        select
            (select max(processes) from program) as most,
            (select count(distinct pid) from ran) as processes
    )
select
    r.dump,
    t.most >= 2
    and 3 * t.most >= 2 * t.processes
    and 3 * p.processes <= t.processes as runs_other_program
from ran as r
join program as p on p.program is not distinct from r.program
cross join total as t
