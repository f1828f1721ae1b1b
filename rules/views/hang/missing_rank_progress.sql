-- view:
with
    undumped as (  -- of use where few dumps are lost, and of ranks that belong where the others wait
        select ranges(list(rank)) as ranks
        from flight_undumped
        having
            count(*) between 1 and greatest(1, divide((select count(*) from flight_rank), 8))
            and list_has_all(
                (
                    select flatten(list(m.members))
                    from flight_members m
                    join
                        (
                            select grp_key
                            from rank_wait
                            where source = 'flight_recorder'
                            union
                            select grp_key
                            from rank_suspect
                            where source = 'flight_recorder'
                        ) w using (grp_key)
                ),
                list(rank)
            )
    )
select
    s.source,
    list_sort(list(distinct s.rank)) as ranks,
    list_distinct(list(s.host) filter (s.host is not null)) as hosts,
    []::bigint[] as pids,
    coalesce(
        nullif(arg_min(s.grp_desc, s.rank), ''), arg_min(s.grp, s.rank), arg_min(s.grp_key, s.rank)
    ) as grp,
    arg_min(s.seq, s.rank) as seq,
    arg_min(s.op, s.rank) as op,
    case
        when s.source = 'flight_recorder' and count(distinct s.side) = 1 then any_value(s.side)
    end as side,
    case
        when bool_and(coalesce(s.enqueued, 0) <= 0)
        then 'outside'
        when bool_and(s.side = 'device')
        then 'inside'
        else 'outside'
    end as place,
    case
        when
            bool_or(s.clear)
            and not (
                s.source = 'watchdog'
                and bool_and(s.rank in (select rank from c10d_timeout_once))
                and 4 * count(distinct s.rank)
                > (select count(distinct rank) from rank_progress p where p.source = 'watchdog')
            )
        then 'probable'
        else 'possible'
    end as grade,  -- of two that wait in different operations either may be the one that went another way
    bool_or(s.clear) as sure,
    coalesce(
        (select min(p.time) from rank_progress p where p.source = s.source and p.state = 'waiting'),
        min(s.time)
    ) as "at",
    case s.source when 'flight_recorder' then 'Flight Recorder' else 'the watchdogs'' counts' end
    || ': '
    || string_agg(
        'rank '
        || s.rank
        || ' enqueued '
        || coalesce(s.enqueued::varchar, 'nothing')
        || ', completed '
        || coalesce(s.completed::varchar, '?')
        || case when s.seq is not null then ', others wait in ' || s.seq else '' end,
        '; '
        order by s.rank
    )[:600]
    || case
        when s.source = 'flight_recorder'
        then
            coalesce(
                '. Rank '
                || any_value(u.ranks)
                || ' left no dump: whether it stands as well can''t be told',
                ''
            )
        else ''
    end as said,
    list(
        {
            'file_id':s.file_id,
            'line_no':s.line_no,
            'text': case
                when s.source = 'flight_recorder'
                then
                    'rank '
                    || s.rank
                    || ', group '
                    || coalesce(s.grp, '?')
                    || coalesce(' ' || nullif(s.grp_desc, ''), '')
                    || ': last enqueued '
                    || coalesce(s.enqueued::varchar, 'none')
                    || ', last completed '
                    || coalesce(s.completed::varchar, 'unknown')
                    || coalesce(', last at ' || s.last_place, '')
            end
        }
        order by s.rank
    ) filter (s.file_id is not null)
    || flatten(list(s.waiting_lines))[:3] as evidence
from rank_suspect s
left join undumped u on true
group by s.source
-- Where most of them look late, it is not they who are late.
having
    2 * count(distinct s.rank)
    <= (select count(distinct rank) from rank_progress p where p.source = s.source)
