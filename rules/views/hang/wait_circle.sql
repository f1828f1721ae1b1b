-- table: One row per circle of ranks that wait for each other, and group in which they do: waiters
-- wait there, in seq, for awaited; circle = the lowest rank of it. Only the first operation a rank
-- waits in counts: what it has enqueued behind that waits for nobody yet.
with recursive
    head as (
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
    circle_rank as (
        select a.source, a.start as rank, min(b.start) as circle
        from reach a
        join reach b on b.source = a.source and b.start = a.rank and b.rank = a.start
        group by all
    )
select
    e.source,
    a.circle,
    e.grp_key,
    coalesce(nullif(any_value(e.grp_desc), ''), any_value(e.grp), '?') as grp,
    list_sort(list(distinct e.waiter)) as waiters,
    list_sort(list(distinct e.culprit)) as awaited,
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
join circle_rank a on a.source = e.source and a.rank = e.waiter
join circle_rank b on b.source = e.source and b.rank = e.culprit and b.circle = a.circle
group by e.source, a.circle, e.grp_key
