-- table: One row per short curve of a loss of which one point is a thousand times as high as its
-- neighbours, of a validation a hundred times, and ten times as high as any other: no batch is that
-- hard. Longer curves have a search for those (loss_excursion, beyond_a_batch). base: the higher
-- of the neighbours.
with
    point as (
        select
            s.series_id,
            s.family,
            s.name,
            s.canonical,
            s.rank as series_rank,
            s.stepless,
            s.points,
            p.file_id,
            p.line_no,
            p.time,
            p.step,
            p.value,
            row_number() over in_order as place,
            lag(p.value) over in_order as before,
            lag(p.line_no) over in_order as before_line,
            lead(p.value) over in_order as after,
            lead(p.step) over in_order as end_step,
            lead(p.line_no) over in_order as end_line,
            first_value(p.value) over in_order as began,
            row_number() over (partition by s.series_id order by p.value desc) as nth,
            bool_and(p.value > 0 and isfinite(p.value)) over (partition by s.series_id) as is_sound,
            max(p.value) over (
                in_order
                rows between unbounded preceding and unbounded following exclude current row
            ) as high
        from series s
        join series_point p using (series_id)
        where s.canonical in ('loss', 'validation_loss') and s.points < 25 and s.files = 1
        window in_order as (partition by s.series_id order by p.turn, p.ordinal)
    )
select * exclude (nth, is_sound), greatest(before, after) as base
from point
where
    nth = 1
    and is_sound
    and value > if(canonical = 'loss', 1000, 100) * greatest(before, after)
    and value > 10 * high
    -- a way down from where it began is none
    and value > 5 * began
