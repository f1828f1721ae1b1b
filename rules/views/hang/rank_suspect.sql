-- table: The ranks that others wait for and that wait for nobody: where a chain of waiting ends.
-- device: it enqueued what others have completed, and has not completed it; host: it has not even
-- enqueued it.
with
    most as (select source, grp_key, max(completed) as completed from rank_progress group by all),
    waiter as (select distinct source, waiter as rank from rank_wait),
    host_side as (
        select
            w.source,
            w.culprit as rank,
            arg_min(w.grp_key, (w.record_id, w.grp_key)) as grp_key,
            arg_min(w.seq, (w.record_id, w.grp_key)) as seq,
            arg_min(w.op, (w.record_id, w.grp_key)) as op,
            count(distinct w.waiter) as waiters,
            list(line_at(w.file_id, w.line_no))[:3] as waiting_lines
        from rank_wait w
        anti join waiter on waiter.source = w.source and waiter.rank = w.culprit
        where
            not w.by_pair
            -- Whose own work is open waits too, and may be a victim: of a member nobody has seen,
            -- of a pipeline's other stage.
            and not exists (
                from rank_progress p
                where
                    w.source = 'flight_recorder'
                    and p.source = w.source
                    and p.rank = w.culprit
                    and p.waits_for is not null
            )
            and not exists (
                from flight_operation o
                where
                    w.source = 'flight_recorder'
                    and o.rank = w.culprit
                    and o.pending
                    and not o.is_gloo
            )
            -- Status lines do not tell the members of a group: who waits in another group may be
            -- a victim there.
            and not exists (
                from rank_progress p
                where
                    w.source = 'watchdog'
                    and p.source = w.source
                    and p.rank = w.culprit
                    and p.grp_key <> w.grp_key
                    and p.waits_for is not null
            )
        group by all
    ),
    device_side as (
        select
            p.source,
            p.rank,
            min(p.grp_key) as grp_key,
            arg_min(p.waits_for, p.grp_key) as seq,
            arg_min(p.op, p.grp_key) as op,
            0 as waiters,
            [] as waiting_lines
        from rank_progress p
        join most using (source, grp_key)
        where
            p.source = 'flight_recorder'
            and not p.gloo
            and not p.point_to_point
            and p.completed < most.completed
            and p.waits_for is not null
            and not exists (
                from rank_wait w
                where w.source = p.source and w.waiter = p.rank and w.grp_key = p.grp_key
            )
            and not exists (from collective_disagreement d where d.grp_key = p.grp_key)
        group by p.source, p.rank
    ),
    united as (
        select *
        from device_side
        union all by name
        select h.*
        from host_side h
        anti join device_side d on d.source = h.source and d.rank = h.rank
        -- With a device that stands, who has a send or a receive open waits for it.
        where
            not (
                exists (from device_side d where d.source = h.source)
                and exists (
                    from flight_operation o where o.rank = h.rank and o.is_p2p and o.pending
                )
            )
    ),
    absent as (
        select distinct rank
        from (select unnest(members) as rank from flight_members)
        anti join flight_rank using (rank)
    ),
    -- All have joined what is waited for, a few have enqueued less after it: their program
    -- stands, or their device does.
    behind as (
        select
            p.source,
            p.rank,
            min(p.grp_key) as grp_key,
            arg_min(p.waits_for, p.grp_key) as seq,
            arg_min(p.op, p.grp_key) as op,
            any_value(g.others) as waiters,
            [] as waiting_lines
        from rank_progress p
        join
            (
                select
                    source,
                    grp_key,
                    max(enqueued) as enqueued,
                    count(*) as members,
                    count(*) filter (waits_for is not null) as others,
                    min(waits_for) = max(waits_for) as same
                from rank_progress
                where not gloo and not point_to_point
                group by all
            ) g
            on g.source = p.source
            and g.grp_key = p.grp_key
        where
            p.source = 'flight_recorder'
            and g.same
            and g.members > 3
            and p.enqueued < g.enqueued
            and 4 * (
                select count(*)
                from rank_progress q
                where q.source = p.source and q.grp_key = p.grp_key and q.enqueued < g.enqueued
            )
            <= g.members
            and not exists (from united u where u.source = p.source)
            and not exists (from rank_wait w where w.source = p.source)
            and not exists (from absent)
        group by p.source, p.rank
    ),
    -- A device that stands where its peers' stand, and a program that has not gone on as all of
    -- theirs have: a second one that stands, hidden
    -- behind the first. It counts only where the programs of all others have gone on alike.
    place as (
        select p.rank, any_value(o.head) as head, sum(p.completed) as completed
        from rank_progress p
        join
            (
                select rank, arg_min(kind || ' ' || coalesce(grp_desc, ''), record_id) as head
                from flight_operation
                where pending and not is_gloo
                group by rank
            ) o
            on o.rank = p.rank
        where p.source = 'flight_recorder' and not p.gloo
        group by p.rank
    ),
    in_step as (
        select
            p.*,
            w.head,
            w.completed as steps,
            mode(p.enqueued) over g as usual,
            max(p.enqueued) over g as furthest,
            count(*) over g as members,
            mode(w.head) over g as usual_head,
            mode(w.completed) over g as usual_steps
        from rank_progress p
        join place w on w.rank = p.rank
        where p.source = 'flight_recorder' and not p.gloo and not p.point_to_point
        window g as (partition by p.grp_key)
    ),
    late as (
        select
            *,
            enqueued < usual as late,
            usual = furthest
            and members > 3
            and head = usual_head
            and steps = usual_steps
            and 4 * count_if(enqueued < usual) over (partition by grp_key) <= members as odd
        from in_step
        where not exists (from device_side) and not exists (from absent)
    ),
    lagging as (
        select
            source,
            rank,
            min(grp_key) as grp_key,
            arg_min(enqueued, grp_key) + 1 as seq,
            null::varchar as op,
            any_value(members) as waiters,
            [] as waiting_lines
        from late
        where
            late
            and odd
            and not exists (from united u where u.rank = late.rank)
            and not exists (
                from rank_wait w
                join united u on u.rank = w.culprit
                where w.source = late.source and w.waiter = late.rank
            )  -- its own victim
        group by source, rank
    ),
    hidden as (
        from lagging
        where
            not exists (
                from late
                join
                    (
                        select grp_key, max(enqueued) as furthest
                        from rank_progress
                        where source = 'flight_recorder'
                        group by grp_key
                    ) g using (grp_key)
                where
                    late.enqueued < g.furthest
                    and late.rank not in (select rank from united)
                    and late.rank not in (select rank from lagging)
            )
    ),
    -- The watchdogs of one group gave up at different numbers: a few ranks stand in an earlier
    -- one than the rest.
    earlier as (
        select
            p.source, p.rank, p.grp_key, p.waits_for as seq, p.op, 0 as waiters, [] as waiting_lines
        from rank_progress p
        join
            (
                select
                    source,
                    grp_key,
                    max(waits_for) as last,
                    count(*) as members,
                    count(distinct waits_for) as numbers
                from rank_progress
                where source = 'watchdog' and waits_for is not null
                group by all
            ) g
            on g.source = p.source
            and g.grp_key = p.grp_key
        where
            p.waits_for < g.last
            and g.numbers = 2
            and g.members > 3
            and 4 * (
                select count(*)
                from rank_progress q
                where q.source = p.source and q.grp_key = p.grp_key and q.waits_for < g.last
            )
            <= g.members
            and not exists (from united u where u.source = p.source)
    )
select
    u.*,
    p.host,
    p.grp,
    p.grp_desc,
    p.enqueued,
    p.completed,
    most.completed as group_completed,
    p.file_id,
    p.line_no,
    p.time,
    p.place as last_place,
    case when p.completed < most.completed then 'device' else 'host' end as side,
    u.clear
from
    (
        select *, true as clear
        from united
        union all by name
        select *, false as clear
        from behind
        union all by name
        (select *, false as clear from hidden anti join behind using (source, rank))
        union all by name
        select *, false as clear
        from earlier
    ) u
left join rank_progress p on p.source = u.source and p.rank = u.rank and p.grp_key = u.grp_key
left join most on most.source = u.source and most.grp_key = u.grp_key
