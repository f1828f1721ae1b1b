-- table: One row per source of counts, rank and group: how far the rank has come in it, by the
-- Flight Recorder's dumps and by the watchdogs' status lines. waits_for = number of the first
-- operation it has enqueued that has not completed, NULL where all have (state = idle).
with
    flight as (
        select
            *,
            case
                -- gloo does not say what is open: there the last operation of a rank is, if another
                -- member has not come to it.
                when gloo and min(enqueued) over (partition by grp_key) < enqueued
                then enqueued
                when gloo
                then null
                when pending_collectives > 0
                then first_pending
                when not point_to_point and enqueued > completed
                then greatest(completed, 0) + 1
            end as waits_for
        from flight_progress
    )
select
    'flight_recorder' as source,
    rank,
    host,
    grp_key,
    grp,
    grp_desc,
    enqueued,
    completed,
    waits_for,
    op,
    gloo,
    point_to_point and pending_collectives = 0 as point_to_point,
    first_collective_record as record_id,
    timeout_ms,
    last_place as place,
    time,
    file_id,
    line_no,
    case when waits_for is null then 'idle' else 'waiting' end as state
from flight
union all by name
select
    source,
    rank,
    host,
    grp_key,
    grp,
    grp_desc,
    enqueued,
    completed,
    waits_for,
    false as gloo,
    false as point_to_point,
    time,
    file_id,
    line_no,
    case when waits_for is null then 'idle' else 'waiting' end as state
from progress_c10d
