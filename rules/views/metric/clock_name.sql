-- table: One row per name of a stored curve that is a duration by its name (time) and only grows,
-- but where the program is started again: seconds since the start, not those of a step.
with
    duration as (
        select c.file_id, c.curve, c.name
        from stored_curve c
        join metric_spelling k on k.name = plain_name(c.name) and k.kind = 'step_seconds'
        where c.points >= 10
    ),
    point as (
        select
            d.file_id,
            d.curve,
            d.name,
            p.metric_value as value,
            p.metric_value <= lag(p.metric_value) over (
                partition by d.file_id, d.curve order by p.line_no
            ) as is_back
        from duration d
        join metric_point p using (file_id, curve)
    )
select file_id, name
from point
group by file_id, curve, name
having
    count_if(is_back) <= least(3, count(*) / 10) and max(value) > 5 * min(value) and min(value) >= 0
