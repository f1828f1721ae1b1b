-- table: One row per sighting of a moment that several logs saw, which tells the engine how their
-- clocks relate to each other. event: rows of one event saw the same moment, each by its own clock
-- (time, or uptime_seconds where only that is printed); utc: the line says the true time itself;
-- within_seconds: how far the sightings of one event may be apart.
-- The kernel prints the wall clock itself: when it sets it, and before every audit record.
select
    'wall clock' as event,
    wall_clock as utc,
    2 as within_seconds,
    file_id,
    line_no,
    host,
    rank,
    time,
    time_quality,
    uptime_seconds
from clock_line
union all by name
-- Work that all wait in starts on all of them at about the same time.
select event, 30 as within_seconds, file_id, line_no, host, rank, time, time_quality
from awaited_work
union all by name
-- Flight Recorder keeps when work was enqueued, as an epoch.
select distinct
    w.event, 30 as within_seconds, o.file_id, o.line_no, o.host, o.rank, o.time, o.time_quality
from flight_operation o
join
    awaited_work w
    on w.rank = o.rank
    and w.collective_seq = o.collective_seq
    and w.grp in (o.grp, o.grp_desc)
where not o.is_p2p and o.pending
union all by name
-- The kernel and the launcher tell of the end of the same process.
select
    'end of process ' || pid as event,
    120 as within_seconds,
    file_id,
    line_no,
    host,
    time,
    time_quality,
    uptime_seconds
from process_end
where
    pid > 1
    and pid in (
        select pid
        from process_end
        group by pid
        having
            count(distinct source) = 2
            and count(distinct short_host(host)) <= 1
            and count(*) filter (source = 'kernel') = 1
    )
union all by name
-- All ranks end a step together. What a rank did again after a restart, it did at another time.
select
    'step ' || step as event, 10 as within_seconds, file_id, line_no, host, rank, time, time_quality
from last_step l
where
    rank is not null
    and not exists (
        from training_mark m
        join last_step b on b.file_id <> m.file_id
        where
            m.file_id = l.file_id
            and m.line_no < l.line_no
            and m.kind in ('resume', 'load')
            and b.rank = l.rank
            and b.step = l.step
            -- not that file's twin, with the output of the same start
            and not exists (
                from training_mark t
                where t.file_id = b.file_id and t.kind = m.kind and t.message = m.message
            )
    )
union all by name
-- A step's value goes to the log and into a store with exact times: the same value tells that it
-- is the same run.
select
    'value of step ' || step as event,
    60 as within_seconds,
    file_id,
    line_no,
    host,
    rank,
    time,
    time_quality
from stored_step
