-- table: One row per open send or receive whose peer has no open counterpart and has not done its
-- part before (then the data are on their way, or were when the dump was taken). The peer does
-- nothing, or is in a collective that the waiting rank has not entered.
with
    done_by_peer as (
        select own.file_id, own.record_id, peer.rank as culprit
        from p2p_turn own
        join
            p2p_turn peer
            on peer.grp_key = own.grp_key
            and peer.src = own.src
            and peer.dst = own.dst
            and peer.nth = own.nth
            and peer.kind <> own.kind
    ),
    idle_rank as (
        select rank
        from flight_rank
        anti join
            (
                select rank
                from rank_progress
                where source = 'flight_recorder' and state = 'waiting'
                union
                select waiter
                from rank_wait
                where source = 'flight_recorder'
            ) using (rank)
    )
select w.*, o.src, o.dst, o.kind
from rank_wait w
join flight_operation o on o.file_id = w.file_id and o.record_id = w.record_id
where
    w.by_pair
    and not exists (from rank_suspect)
    and not exists (
        from done_by_peer d
        where d.file_id = w.file_id and d.record_id = w.record_id and d.culprit = w.culprit
    )
    and (
        w.culprit in (select rank from idle_rank)
        or exists (
            from rank_wait x
            where
                x.source = w.source
                and x.waiter = w.culprit
                and x.culprit = w.waiter
                and not x.by_pair
        )
    )
