-- table: One row: ranks whose process had ended, as its launcher tells, before the others gave up
-- waiting: they can't have joined them. Only where nobody says why they ended: a failure with an
-- account of its own is an incident of its own, and this its echo.
with
    waiting as (select * from watchdog_waiter where time is not null),
    ended as (
        select e.*
        from "exit" e
        where
            e.rank is not null
            and e.time is not null
            and e.exitcode between 1 and 127
            and e.time < (select min(time) from waiting) - interval 1 minute
            and e.rank not in (select rank from watchdog_loud where rank is not null)
            and not exists (
                from exception_verdict v
                where v.rank = e.rank or (v.rank is null and v.kind not in ('echo', 'collective'))
            )
    )
select
    'ended' as source,
    'ended' as finding,
    list_sort(list(distinct rank)) as ranks,
    list_distinct(list(host) filter (host is not null)) as hosts,
    []::bigint[] as pids,
    (select coalesce(any_value(grp_desc), 'default_pg') from waiting) as grp,
    (select min(collective_seq) from waiting) as seq,
    (select arg_min(op, collective_seq) from waiting) as op,
    'host' as side,
    'outside' as place,
    'probable' as grade,
    min(time) as "at",
    list_sort(list(distinct exitcode)) as exit_codes,
    list(line_at(file_id, line_no) order by time, file_id, line_no)[:5]
    || (select list(line_at(file_id, line_no))[:3] from waiting) as evidence
from ended
having
    count(*) > 0
    and (select count(distinct collective_seq) from waiting) = 1
    and 4 * count(distinct rank) <= (select count(distinct rank) from waiting)
