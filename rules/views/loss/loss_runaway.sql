-- table: One row per training loss that grows below zero without bound: it begins like any other,
-- and at the end its size is over 10,000 times that and has doubled twice in the last six tenths.
-- base, level: where it began and ended; lowest: how far it went; file_id, line_no: the first of
-- its points that far down; last_*: its last point.
with
    curve as (
        select
            p.*,
            s.name,
            s.rank as series_rank,
            s.stepless,
            ntile(10) over in_order as part,
            row_number() over in_order as place,
            count(*) over (partition by p.series_id) as points
        from series_point p
        join series s using (series_id)
        where s.canonical = 'loss' and isfinite(p.value)
        window in_order as (partition by p.series_id order by p.turn, p.ordinal)
    ),
    course as (
        select
            series_id,
            any_value(name) as name,
            any_value(series_rank) as series_rank,
            any_value(stepless) as stepless,
            any_value(points) as points,
            median(value) filter (place <= 10) as base,
            median(value) filter (part = 4) as early_level,
            median(value) filter (part = 7) as middle_level,
            median(value) filter (part = 10) as level,
            min(value) as lowest,
            10 * greatest(abs(median(value) filter (place <= 10)), 1) as far,
            arg_max(file_id, place) as last_file,
            arg_max(line_no, place) as last_line,
            max(step) as last_step
        from curve
        where points >= 60
        group by series_id
        having
            base > -1
            and early_level < 0
            and middle_level < 2 * early_level
            and level < 2 * middle_level
            and level < -10000 * greatest(abs(base), 1)
    )
select
    c.* exclude (far, early_level, middle_level),
    arg_min(p.file_id, p.place) as file_id,
    arg_min(p.line_no, p.place) as line_no,
    min(p.step) as from_step,
    arg_min(p.time, p.place) as time
from course c
join curve p on p.series_id = c.series_id and p.value < - c.far
group by all
