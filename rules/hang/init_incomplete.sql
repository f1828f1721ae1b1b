/*
title       = "Communicator init never completed"
severity    = "critical"
confidence  = "probable"
status      = "stable"
about       = """
Init is a meeting of all ranks: it ends on all of them or on none. Ranks that started and never completed wait for one that did not come,
or for a connection that is not made. A rank whose log is not here is not observed, which is not the same as missing.
"""
remedy      = """
Look for the ranks that never logged `Init START`: their process, their host, an exception before init. If all started, look for connection
errors between hosts (NCCL_SOCKET_IFNAME, firewall) and compare NCCL versions; NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,BOOTSTRAP,NET tells the stage.
"""
false_positives = "The log was cut during init; without any other sign of trouble this is told as information only."
*/
with
    stuck as (
        select
            c.*,
            exists (
                from nccl_topology t
                join nccl_rank r on r.host = t.host and r.pid = t.pid and r.comm = t.comm
                where r.comm_key = c.comm_key
            ) as knows_peers,
            exists (from trouble_sign) as trouble,
            list_filter(range(c.nranks), lambda x: not list_contains(c.ranks, x)) as absent
        from communicator c
        where not c.ambiguous and len(c.incomplete) > 0
    ),
    lines as (
        select
            comm_key,
            list(coalesce(start_line, line_at(file_id, line_no)) order by comm_rank) as evidence,
            min(started_at) as at,
            list(distinct host order by host) as hosts
        from nccl_rank
        where starts > completes
        group by comm_key
    )
select
    format(
        'Communicator of {} ranks: init started on rank(s) {} and completed on {}{}',
        s.nranks,
        ranges(s.incomplete),
        case when s.completed is null then 'none' else ranges(s.completed) end,
        case
            when len(s.absent) > 0
            then '; rank(s) ' || ranges(s.absent) || ' never appear in the logs'
            else ''
        end
    ) as summary,
    l.evidence || coalesce(
        (
            select list(line_at(file_id, line_no))
            from (from trouble_sign order by time nulls last limit 2)
        ),
        []
    ) as evidence,
    l.at,
    s.incomplete as ranks,
    l.hosts,
    s.nranks,
    case when s.knows_peers then 'connect' else 'bootstrap' end as stage,
    case when len(s.absent) > 0 then s.absent end as missing,
    s.comm_key as "group",
    case when not s.trouble then 'info' else 'critical' end as severity,
    case when s.trouble then 'probable' else 'possible' end as confidence
from stuck s
join lines l using (comm_key)
union all by name
select
    case
        event
        when 'duplicate_rank'
        then format('Two processes came to the communicator as rank {} of {}', rank_a, nranks)
        else
            format(
                'Processes came to one communicator with different sizes: {} and {}', rank_a, rank_b
            )
    end as summary,
    list(line_at(file_id, line_no)) as evidence,
    min(time) as at,
    case event when 'duplicate_rank' then list(distinct rank_a) end as ranks,
    list(distinct host) filter (host is not null) as hosts,
    max(nranks) as nranks,
    'bootstrap' as stage,
    'definite' as confidence
from nccl_usage
where event in ('duplicate_rank', 'rank_count_mismatch')
group by event, rank_a, rank_b, nranks
union all by name
-- the store and the rendezvous, before there is a communicator
select
    case
        when max(joined) > max(nranks)
        then
            format(
                '{} processes came to the {} of a group of {}: the world size is wrong, or the store holds the keys of an earlier attempt',
                max(joined),
                replace(stage, '_', ' '),
                max(nranks)
            )
        when max(nranks) is not null and max(joined) is not null
        then
            format(
                '{} of {} ranks came to the {}, the others never did',
                max(joined),
                max(nranks),
                replace(stage, '_', ' ')
            )
        else
            case
                when len(list_distinct(flatten(list(ranks)))) = 1
                then 'Rank ' || any_value(ranks[1])
                when len(flatten(list(ranks))) > 0
                then 'Ranks ' || ranges(list_distinct(flatten(list(ranks))))
                else 'Processes'
            end || case
                when stage = 'unique_id'
                then
                    format(
                        ' waited in the store for the id of a communicator, which rank {} of its group has to leave there: {}',
                        coalesce(min(awaited), 0),
                        coalesce(lower(any_value(error)), 'it never came')
                    )
                else
                    format(
                        ' waited for others at the stage {} and gave up', replace(stage, '_', ' ')
                    )
            end
    end || case
        when stage = 'store' and (select count(*) from gloo_rank_awaited) = 1
        then
            ': rank '
            || (select rank_awaited from gloo_rank_awaited)
            || ' never left its address there'
        else ''
    end as summary,
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence,
    min(time) as at,
    list_sort(list_distinct(flatten(list(ranks)))) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    max(nranks) as nranks,
    max(joined) as joined,
    stage,
    max(timeout_ms) as timeout_ms,
    any_value(store_key) as store_key,
    any_value(error) as error,
    case
        when stage = 'store' and (select count(*) from gloo_rank_awaited) = 1
        then (select list(rank_awaited) from gloo_rank_awaited)
    end as missing,
    'probable' as confidence
from init_wait_c10d
where not exists (from c10d_timeout_line) and not exists (from c10d_status_line)
group by stage
union all by name
-- RAS sees ranks in init that others have finished: a moment of the start, unless a second
-- snapshot says the same
select
    format(
        'RAS: {} of {} ranks of a communicator are still in init, the others have finished it',
        n,
        nranks
    )
    || case when stalled then ', in two snapshots' else '' end as summary,
    evidence,
    time as at,
    ranks::bigint[] as ranks,
    hosts,
    nranks::bigint as nranks,
    'connect' as stage,
    comm_hash as "group",
    pids,
    case when stalled then 'critical' else 'info' end as severity,
    case when stalled then 'probable' else 'possible' end as confidence
from ras_state
where ras_status = 'INIT' and latest and states > 1
union all by name
-- JAX: the barrier all processes of the job meet at when they start
select
    'The processes of the job did not all come to the barrier of the start' || coalesce(
        ': '
        || ranges((select list(distinct lost_task) from coordination_listed where event = 'start'))
        || ' never did',
        ''
    ) as summary,
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence,
    min(time) as at,
    list(distinct host) filter (host is not null) as hosts,
    'store' as stage,
    (
        select list_sort(list(distinct lost_task)) from coordination_listed where event = 'start'
    ) as missing,
    'probable' as confidence,
    'Look for the processes that did not come: were they started, with the same coordinator address and num_processes, and can they reach it?'
    as action
from coordination_task
where event = 'start'
having count(*) > 0
