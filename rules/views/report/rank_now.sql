-- view: one row per rank that logged steps: its last step, the loss it logged last, and how many
-- seconds a step lately took it, as printed or by the times of its lines. Lines that name no rank
-- count by their file.
with
    point as (
        select
            coalesce(m.rank, f.rank) as rank,
            coalesce(m.host, f.host) as host,
            m.file_id,
            m.time,
            m.step,
            m.ordinal,
            m.canonical,
            m.value
        from metric as m
        join file as f using (file_id)
        where m.step is not null
    ),
    last_step as (
        select
            rank,
            any_value(host) as host,
            arg_max(file_id, (time is not null, time, ordinal)) as file_id,
            arg_max(step, (time is not null, time, ordinal)) as step,
            max(time) as time,
            arg_max(value, (time is not null, time, ordinal)) filter (canonical = 'loss') as loss
        from point
        group by rank, case when rank is null then file_id end
    ),
    printed as (
        select rank, median(value) as step_seconds
        from
            (
                select rank, value
                from point
                where canonical = 'step_seconds'
                qualify row_number() over (partition by rank order by time desc, ordinal desc) <= 20
            )
        group by rank
    ),
    timed as (
        select rank, median(seconds) as step_seconds
        from
            (
                select
                    rank,
                    time,
                    epoch(time - lag(time) over by_step)
                    / nullif(step - lag(step) over by_step, 0) as seconds
                from (select distinct rank, file_id, time, step from point where time is not null)
                window by_step as (partition by rank, file_id order by time, step)
                qualify row_number() over (partition by rank order by time desc) <= 20
            )
        where seconds > 0
        group by rank
    )
select
    l.rank,
    l.host,
    l.file_id,
    l.step,
    l.time,
    l.loss,
    coalesce(p.step_seconds, t.step_seconds) as step_seconds
from last_step as l
left join printed as p on p.rank is not distinct from l.rank
left join timed as t on t.rank is not distinct from l.rank
