-- table: One row per rank that has joined what all wait in, and enqueued less after it than the
-- others did: its program is stuck, or its device. Only where nobody is awaited and no dump is
-- absent, and for a quarter of a group at most.
with
    waiting_group as (
        select source, grp_key, max(enqueued) as enqueued, count(*) as members
        from rank_progress
        where source = 'flight_recorder' and not gloo and not point_to_point
        group by all
        having min(waits_for) = max(waits_for) and count(*) > 3
    ),
    behind as (
        select p.*, g.members, count(*) over (partition by p.source, p.grp_key) as n
        from rank_progress p
        join waiting_group g using (source, grp_key)
        where p.enqueued < g.enqueued
    )
select
    b.source,
    b.rank,
    min(b.grp_key) as grp_key,
    arg_min(b.waits_for, b.grp_key) as seq,
    arg_min(b.op, b.grp_key) as op
from behind b
where
    4 * b.n <= b.members
    and not exists (from suspect_awaited u where u.source = b.source)
    and not exists (from rank_wait w where w.source = b.source)
    and not exists (from flight_absent_rank)
group by b.source, b.rank
