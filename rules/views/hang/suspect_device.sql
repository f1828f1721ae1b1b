-- table: One row per rank whose device has not completed what others of its group have, and that
-- waits for nobody there, by the Flight Recorder; of its groups the first. Where the ranks of a
-- group disagree on what they run, nobody is late.
with
    furthest as (
        select source, grp_key, max(completed) as completed from rank_progress group by all
    )
select
    p.source,
    p.rank,
    min(p.grp_key) as grp_key,
    arg_min(p.waits_for, p.grp_key) as seq,
    arg_min(p.op, p.grp_key) as op
from rank_progress p
join furthest using (source, grp_key)
where
    p.source = 'flight_recorder'
    and not p.gloo
    and not p.point_to_point
    and p.completed < furthest.completed
    and p.waits_for is not null
    and not exists (
        from rank_wait w where w.source = p.source and w.waiter = p.rank and w.grp_key = p.grp_key
    )
    and not exists (from collective_disagreement d where d.grp_key = p.grp_key)
group by p.source, p.rank
