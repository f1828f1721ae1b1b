-- table: One row per norm of gradients whose last value, where the log ends, is a thousand times
-- the usual one and a hundred times the highest before, where no scaler searches for a scale.
-- loss_is_calm: the loss of that line is as before.
with
    point as (
        select
            s.series_id,
            s.family,
            s.name,
            s.rank as series_rank,
            s.stepless,
            p.file_id,
            p.line_no,
            p.time,
            p.step,
            p.value,
            row_number() over (partition by s.series_id order by p.ordinal desc) as from_end,
            row_number() over (partition by s.series_id order by p.ordinal) as place,
            bool_and(isfinite(p.value)) over (partition by s.series_id) as is_finite
        from series s
        join series_point p using (series_id)
        where s.canonical = 'grad_norm' and s.files = 1
    ),
    ending as (
        select
            series_id,
            any_value(family) as family,
            any_value(name) as name,
            any_value(series_rank) as series_rank,
            any_value(stepless) as stepless,
            count(*) as points,
            any_value(file_id) filter (from_end = 1) as file_id,
            any_value(line_no) filter (from_end = 1) as line_no,
            any_value(line_no) filter (from_end = 2) as before_line,
            any_value(time) filter (from_end = 1) as time,
            any_value(coalesce(step, place)) filter (from_end = 1) as step,
            any_value(value) filter (from_end = 1) as peak,
            median(value) filter (from_end > 1) as base,
            max(value) filter (from_end > 1) as high
        from point
        where is_finite
        group by series_id
    )
select
    e.*,
    (
        select max(m.value) filter (m.line_no = e.line_no) <= 1.5 * median(m.value)
        from metric m
        where m.file_id = e.file_id and m.canonical = 'loss' and m.line_no <= e.line_no
    ) as loss_is_calm
from ending e
where
    points >= 8
    and base > 0
    and peak > 1000 * base
    and peak > 100 * high
    and peak > 1000
    and file_id not in (
        select file_id
        from training_event
        where kind in ('overflow', 'scale_down', 'scale_up', 'scale_minimum')
        union all
        select file_id
        from metric
        where canonical = 'loss_scale' and value <> 1
    )
