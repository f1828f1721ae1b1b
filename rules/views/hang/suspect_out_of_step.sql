-- table: One row per rank whose device is where its peers' are, and whose program has not gone on
-- as theirs have: a second one that is stuck, hidden behind the first. It counts only where the
-- programs of all others have gone on alike, and for a quarter of a group at most.
with
    head as (
        select rank, arg_min(kind || ' ' || coalesce(grp_desc, ''), record_id) as head
        from flight_operation
        where pending and not is_gloo
        group by rank
    ),
    standing as (
        select p.rank, any_value(h.head) as head, sum(p.completed) as completed
        from rank_progress p
        join head h using (rank)
        where p.source = 'flight_recorder' and not p.gloo
        group by p.rank
    ),
    position as (
        select
            p.source,
            p.rank,
            p.grp_key,
            p.enqueued,
            p.enqueued < mode(p.enqueued) over one as is_late,
            mode(p.enqueued) over one = max(p.enqueued) over one
            and count(*) over one > 3
            and s.head = mode(s.head) over one
            and s.completed = mode(s.completed) over one as is_beside_peers
        from rank_progress p
        join standing s using (rank)
        where
            p.source = 'flight_recorder'
            and not p.gloo
            and not p.point_to_point
            and not exists (from suspect_device)
            and not exists (from flight_absent_rank)
        window one as (partition by p.grp_key)
    ),
    counted as (
        select
            *,
            4 * count_if(is_late) over (partition by grp_key)
            <= count(*) over (partition by grp_key) as are_few
        from position
    ),
    late as (
        select
            c.source, c.rank, min(c.grp_key) as grp_key, arg_min(c.enqueued, c.grp_key) + 1 as seq
        from counted c
        where
            c.is_late
            and c.is_beside_peers
            and c.are_few
            and c.rank not in (select rank from suspect_awaited)
            -- Its own victim.
            and not exists (
                from rank_wait w
                join suspect_awaited u on u.rank = w.culprit
                where w.source = c.source and w.waiter = c.rank
            )
        group by c.source, c.rank
    ),
    furthest as (
        select grp_key, max(enqueued) as enqueued
        from rank_progress
        where source = 'flight_recorder'
        group by grp_key
    )
select source, rank, grp_key, seq, null::varchar as op
from late
where
    not exists (
        from position p
        join furthest f using (grp_key)
        where
            p.enqueued < f.enqueued
            and p.rank not in (select rank from suspect_awaited)
            and p.rank not in (select rank from late)
    )
