-- table: One row: ranks of a tensor, pipeline or data parallel group that say nothing of the
-- operation in which all others of the group gave up. Which ranks they are follows from those that
-- spoke: ranks of a group are one distance apart (stride), so a gap among its numbers has a rank.
with
    waiting as (
        select *
        from c10d_timeout_once
        where
            source = 'watchdog'
            and rank is not null
            and group_rank is not null
            and grp not in ('0', 'default_pg')
            and coalesce(grp_desc, '') <> 'default_pg'
            and op not in ('SEND', 'RECV')
    ),
    loud_group as (
        select
            grp,
            any_value(grp_desc) as grp_desc,
            min(collective_seq) as seq,
            any_value(op) as op,
            count(distinct rank) as loud,
            min(group_rank) as first_number,
            max(group_rank) as last_number,
            arg_min(rank, group_rank) as first_rank,
            divide(max(rank) - min(rank), max(group_rank) - min(group_rank)) as stride,
            list(distinct group_rank) as numbers,
            list_sort(list(distinct rank)) as ranks,
            list({'rank':rank, 'number':group_rank}) as places,
            min(time - to_milliseconds(coalesce(ran_ms, timeout_ms, 0))) as "at",
            list(line_at(file_id, line_no) order by rank)[:3] as lines
        from waiting
        group by grp
        having
            count(distinct rank) >= 3
            and count(distinct collective_seq) = 1
            and count(distinct op) = 1
            and count(distinct group_rank) = count(distinct rank)
            and max(group_rank) - min(group_rank) >= 2
    ),
    regular as (
        select *
        from loud_group
        where
            stride >= 1
            and len(
                list_filter(
                    places, lambda p:p.rank <> first_rank + stride * (p.number - first_number)
                )
            )
            = 0
    ),
    gap as (
        select g.*, first_rank + stride * (n.number - first_number) as silent
        from regular as g
        cross join lateral(select unnest(ranks_below(last_number)) as number) as n
        where not list_contains(g.numbers, n.number)
    ),
    silent as (
        select *
        from gap
        where
            silent in (select rank from rank_heard)
            and silent not in (select rank from watchdog_loud where rank is not null)
            and silent not in (select rank from ended_by_launcher where rank is not null)
            and not exists (from exception as e where e.rank = silent)
            and not exists (from "exit" as e where e.rank = silent and e.exitcode <> 0)
    ),
    -- Where more than a few of a group are silent, or one of a gap has an end of its own, silence
    -- tells nothing.
    telling_group as (
        select s.grp
        from silent as s
        group by s.grp
        having
            count(*) <= greatest(1, divide(any_value(s.loud), 4))
            and count(*) = (select count(*) from gap as g where g.grp = s.grp)
    )
select
    'silent_log' as source,
    'silent' as finding,
    list_sort(list(distinct s.silent)) as ranks,
    list(distinct r.host) filter (r.host is not null) as hosts,
    []::bigint[] as pids,
    arg_min(coalesce(nullif(s.grp_desc, ''), s.grp), (s."at", s.silent)) as grp,
    arg_min(s.seq, (s."at", s.silent)) as seq,
    arg_min(s.op, (s."at", s.silent)) as op,
    null::varchar as side,
    'outside' as place,
    'possible' as grade,
    min(s."at") as "at",
    list_sort(list_distinct(flatten(list(s.ranks)))) as waiting_ranks,
    flatten(list(s.lines))[:6] as evidence
from silent as s
semi join telling_group using (grp)
left join rank as r on r.rank = s.silent
where
    not exists (from missing_rank_silent)
    -- Whoever a launcher ended without saying which rank it was may be the silent one.
    and not exists (
        from launcher_event as l
        anti join rank as k on k.pid = l.target_pid
        where l.event in ('closing', 'forced', 'killing')
    )
having count(*) > 0
