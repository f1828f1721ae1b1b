/*
title      = "Ranks entered collectives of different groups in different order"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang.collective_timeout", "network.peer_lost", "crash", "divergence.stack", "divergence.collective_count"]
about      = """
A circle: one rank waits in a collective of one group for a rank that waits in a collective of another group for the first. Nobody can go on, and nobody is late: the order of the calls is the fault.
"""
remedy     = "Make every rank issue the collectives of these groups in the same order, or on streams and communicators that do not block each other; look at the places named."
false_positives = "Collectives of different groups on different streams may overlap without harm; the circle then comes from something else that stopped both."
references = ["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/communicators.html"]
*/
with recursive
    head as (  -- where a rank stands; what it has enqueued behind that waits for nobody yet
        select *
        from rank_wait w
        where
            not by_pair
            and not exists (
                from flight_operation o
                where
                    w.source = 'flight_recorder'
                    and o.rank = w.waiter
                    and o.is_p2p
                    and o.pending
                    and o.record_id < w.record_id
            )
        qualify record_id is not distinct from min(record_id) over (partition by source, waiter)
    ),
    edge as (
        select h.*
        from head h
        where
            exists (from head x where x.source = h.source and x.waiter = h.culprit)
            and exists (from head x where x.source = h.source and x.culprit = h.waiter)
    ),
    reach(source, start, rank) as (
        select distinct source, waiter, culprit
        from edge
        union
        select r.source, r.start, e.culprit
        from reach r
        join edge e on e.source = r.source and e.waiter = r.rank
    ),
    circle as (  -- ranks that reach each other; the lowest of them names the circle
        select a.source, a.start as rank, min(b.start) as circle
        from reach a
        join reach b on b.source = a.source and b.start = a.rank and b.rank = a.start
        group by all
    ),
    wait as (  -- who waits for whom, per group of the circle
        select
            e.source,
            a.circle,
            e.grp_key,
            coalesce(nullif(any_value(e.grp_desc), ''), any_value(e.grp), '?') as grp,
            list_sort(list(distinct e.waiter)) as waiters,
            list_sort(list(distinct e.culprit)) as others,
            min(e.seq) as seq,
            any_value(e.op) as op,
            list(
                distinct{
                    'file_id':e.file_id,
                    'line_no':e.line_no,
                    'text': case
                        when e.source = 'flight_recorder'
                        then
                            'rank '
                            || e.waiter
                            || ' waits in group '
                            || coalesce(e.grp, '?')
                            || ', number '
                            || e.seq
                    end
                }
            ) as evidence
        from edge e
        join circle a on a.source = e.source and a.rank = e.waiter
        join circle b on b.source = e.source and b.rank = e.culprit and b.circle = a.circle
        group by e.source, a.circle, e.grp_key
    )
select
    'Ranks wait in a circle: ' || string_agg(
        case when len(waiters) = 1 then 'rank ' else 'ranks ' end
        || ranges(waiters)
        || ' in '
        || coalesce(op || ' ', '')
        || 'number '
        || seq
        || ' of group '
        || grp
        || ' for '
        || case when len(others) = 1 then 'rank ' else 'ranks ' end
        || ranges(others),
        '; '
        order by waiters
    )[:600]
    || '.' as summary,
    flatten(list(evidence order by waiters)) as evidence,
    (select min(p.time) from rank_progress p where p.state = 'waiting') as "at",
    list_sort(list_distinct(flatten(list(waiters)))) as ranks,
    list(grp order by waiters) as groups
from wait
group by source, circle
having count(*) > 1
