-- table: One row per source and rank that others wait for, that has not enqueued what they wait in,
-- and that waits for nobody itself: where a chain of waiting ends. Whose own work is open waits
-- too, and may be a victim: of a member nobody has seen, of a pipeline's other stage.
with
    -- Status lines do not tell the members of a group: who waits in another group may be a victim
    -- there.
    waits_elsewhere as (
        select source, rank, case when source = 'watchdog' then grp_key end as grp_key
        from rank_progress
        where waits_for is not null
        union
        select 'flight_recorder', rank, null
        from flight_operation
        where pending and not is_gloo
    )
select
    w.source,
    w.culprit as rank,
    arg_min(w.grp_key, (w.record_id, w.grp_key)) as grp_key,
    arg_min(w.seq, (w.record_id, w.grp_key)) as seq,
    arg_min(w.op, (w.record_id, w.grp_key)) as op,
    list(line_at(w.file_id, w.line_no) order by w.waiter, w.grp_key)[:3] as waiting_lines
from rank_wait w
anti join rank_wait own on own.source = w.source and own.waiter = w.culprit
anti join
    waits_elsewhere e
    on e.source = w.source
    and e.rank = w.culprit
    and e.grp_key is distinct from w.grp_key
anti join suspect_device d on d.source = w.source and d.rank = w.culprit
where
    not w.by_pair
    -- With a device that is stuck, who has a send or a receive open waits for it.
    and not (
        exists (from suspect_device d where d.source = w.source)
        and exists (from flight_operation o where o.rank = w.culprit and o.is_p2p and o.pending)
    )
group by w.source, w.culprit
