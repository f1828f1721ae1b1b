-- view:
with
    waited as (
        select
            concat_ws(
                ' ', 'start of', coalesce(t.grp_desc, t.grp, 'work'), t.collective_seq
            ) as event,
            t.file_id,
            t.line_no,
            t.host,
            t.rank,
            coalesce(t.grp_desc, t.grp) as grp,
            t.collective_seq,
            t.time - to_milliseconds(coalesce(t.ran_ms, t.timeout_ms)) as time,
            c.time_quality
        from c10d_timeout_once t
        join c10d_timeout c using (file_id, line_no)
        where t.collective_seq is not null and t.timeout_ms is not null
    ),
    ended as (
        select *
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
    ),
    -- The last steps of every writer that prints a step; of a step written twice the last time
    -- counts.
    step as (
        select m.file_id, m.line_no, m.host, m.rank, m.step, m.value, m.time, l.time_quality
        from
            (
                select *
                from line_metric
                where canonical = 'loss' and step is not null and time is not null
                qualify
                    row_number() over (partition by file_id, rank, step order by line_no desc) = 1
                    and dense_rank() over (partition by file_id, rank order by step desc) <= 50
            ) m
        join
            (
                select file_id, line_no, any_value(time_quality) as time_quality
                from training_line
                group by all
            ) l using (file_id, line_no)
    )
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
from waited
union all by name
-- Flight Recorder keeps when work was enqueued, as an epoch.
select distinct
    w.event, 30 as within_seconds, o.file_id, o.line_no, o.host, o.rank, o.time, o.time_quality
from flight_operation o
join
    waited w
    on w.rank = o.rank
    and w.collective_seq = o.collective_seq
    and w.grp in (o.grp, o.grp_desc)
where not o.is_p2p and o.pending
union all by name
select
    'end of process ' || pid as event,
    120 as within_seconds,
    file_id,
    line_no,
    host,
    time,
    time_quality,
    uptime_seconds
from ended
union all by name
-- All ranks end a step together.
select
    'step ' || step as event, 10 as within_seconds, file_id, line_no, host, rank, time, time_quality
from step
where rank is not null
union all by name
-- A step's value goes to the log and into a store with exact times: the same value tells that it
-- is the same run.
select
    concat('value of step ', step) as event,
    60 as within_seconds,
    u.file_id,
    u.line_no,
    u.host,
    u.rank,
    u.time,
    u.time_quality
from
    (
        select
            s.step,
            unnest(
                [
                    {
                        'file_id':s.file_id,
                        'line_no':s.line_no,
                        'host':s.host,
                        'rank':s.rank,
                        'time':s.time,
                        'time_quality':s.time_quality
                    },
                    {
                        'file_id':m.file_id,
                        'line_no':m.line_no,
                        'host':m.host,
                        'rank':m.rank,
                        'time':m.time,
                        'time_quality':'exact'
                    }
                ]
            ) as u
        from step s
        join
            (
                select c.host, c.rank, p.* exclude (host, rank)
                from metric_point p
                join
                    curve_metric c
                    on c.file_id = p.file_id
                    and c.curve = p.curve
                    and c.canonical = 'loss'
            ) m
            on m.step = s.step
            and m.time_quality = 'exact'
            and abs(m.metric_value - s.value) <= 0.001 * abs(s.value)
    ) s
