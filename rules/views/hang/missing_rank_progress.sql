-- table: One row per source of counts (Flight Recorder, status lines of watchdogs): the ranks of
-- rank_suspect. Where most of them look late, it is not they who are late.
with
    observed as (
        select
            source,
            count(distinct rank) as ranks,
            min(time) filter (state = 'waiting') as waiting_since
        from rank_progress
        group by source
    ),
    awaited_group as (
        select grp_key
        from rank_wait
        where source = 'flight_recorder'
        union
        select grp_key
        from rank_suspect
        where source = 'flight_recorder'
    ),
    -- Told beside the others, where few dumps are lost, and only of ranks that belong where the
    -- others wait.
    undumped as (
        select list_sort(list(rank)) as ranks
        from flight_undumped
        having
            count(*) between 1 and greatest(1, divide((select count(*) from flight_rank), 8))
            and list_has_all(
                (
                    select flatten(list(m.members))
                    from flight_members m
                    join awaited_group using (grp_key)
                ),
                list(rank)
            )
    ),
    suspect as (
        select
            s.*,
            s.source = 'watchdog'
            and (
                s.rank in (select rank from c10d_timeout_once)
                -- whose timeout made the others dump
                or s.rank
                in (select source_rank from c10d_status_line where source_rank is not null)
            ) as is_waiting_too
        from rank_suspect s
    )
select
    s.source,
    'behind' as finding,
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
        when bool_or(coalesce(s.enqueued, 0) > 0) and bool_and(s.side = 'device')
        then 'inside'
        else 'outside'
    end as place,
    case
        -- Of two that wait in different operations either may be the one that went another way.
        when bool_and(s.is_waiting_too) and 4 * count(distinct s.rank) > any_value(o.ranks)
        then 'possible'
        when bool_or(s.clear)
        then 'probable'
        else 'possible'
    end as grade,
    bool_or(s.clear) as sure,
    coalesce(any_value(o.waiting_since), min(s.time)) as "at",
    list(
        {'rank':s.rank, 'enqueued':s.enqueued, 'completed':s.completed, 'awaited':s.seq}
        order by s.rank
    ) as counts,
    case when s.source = 'flight_recorder' then any_value(u.ranks) end as undumped,
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
from suspect s
join observed o using (source)
left join undumped u on true
group by s.source
having 2 * count(distinct s.rank) <= any_value(o.ranks)
