-- table: One row per sighting of a step whose loss is both in a log and, with an exact time, in a
-- store of metrics: two for each such step.
with
    stored_loss as (
        select
            p.file_id,
            p.line_no,
            c.host,
            c.rank,
            p.step,
            p.metric_value as value,
            p.time,
            p.time_quality
        from metric_point p
        join curve_metric c on c.file_id = p.file_id and c.curve = p.curve and c.canonical = 'loss'
        where p.time_quality = 'exact'
    ),
    sighting as (
        select unnest([logged, stored]) as seen
        from last_step logged
        join
            stored_loss stored
            on stored.step = logged.step
            and abs(stored.value - logged.value) <= 0.001 * abs(logged.value)
    )
select seen.*
from sighting
