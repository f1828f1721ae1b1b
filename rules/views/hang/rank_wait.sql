-- table: One row per wait: waiter waits, in operation seq of the group, for culprit, who is known
-- not to have enqueued it. by_pair = in a send or receive that has no open counterpart.
with
    blocked as (
        select *
        from rank_progress p
        where
            waits_for is not null
            and not point_to_point
            and not exists (
                from collective_disagreement d
                where
                    p.source = 'flight_recorder' and d.grp_key = p.grp_key and d.seq <= p.waits_for
            )
    ),
    by_count as (
        select
            b.source,
            b.rank as waiter,
            o.rank as culprit,
            b.grp_key,
            b.grp,
            b.grp_desc,
            b.waits_for as seq,
            b.op,
            b.record_id,
            b.file_id,
            b.line_no
        from blocked b
        join
            rank_progress o
            on o.source = b.source
            and o.grp_key = b.grp_key
            and o.rank <> b.rank
            and o.enqueued < b.waits_for
    ),
    -- A member whose dump knows all its groups, and this one not: it has not entered the group at
    -- all.
    outside as (
        select m.*
        from (select grp_key, unnest(members) as rank from flight_members) m
        anti join
            (
                select *
                from rank_progress
                where source = 'flight_recorder' and enqueued is not null
            ) p
            on p.grp_key = m.grp_key
            and p.rank = m.rank
    ),
    never as (
        select
            b.source,
            b.rank as waiter,
            m.rank as culprit,
            b.grp_key,
            b.grp,
            b.grp_desc,
            b.waits_for as seq,
            b.op,
            b.record_id,
            b.file_id,
            b.line_no
        from blocked b
        join outside m on m.grp_key = b.grp_key and m.rank <> b.rank
        join flight_rank r on r.rank = m.rank and r.complete
        where
            b.source = 'flight_recorder'
            and r.entries > 0
            and r.first_record = 0
            and not exists (from flight_status s where s.file_id = r.file_id and s.grp is null)
    ),
    peer as (
        select o.*, case when o.rank = o.src then o.dst else o.src end as other
        from flight_operation o
        where o.is_p2p and o.pending and not o.is_gloo
    ),
    by_pair as (
        select
            'flight_recorder' as source,
            p.rank as waiter,
            p.other as culprit,
            p.grp_key,
            p.grp,
            p.grp_desc,
            p.p2p_seq as seq,
            p.kind as op,
            p.record_id,
            p.file_id,
            p.line_no
        from peer p
        join flight_rank r on r.rank = p.other
        where
            not exists (
                from peer q where q.rank = p.other and q.other = p.rank and q.grp_key = p.grp_key
            )
    )
select *, false as by_pair
from by_count
union all by name
select *, false as by_pair
from never
union all by name
select *, true as by_pair
from by_pair
