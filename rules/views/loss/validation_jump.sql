-- table: One row per loss of a validation that is two and a half times as high, or more, from one
-- point to the next and stays so to its end, while that of the training goes on as before: a curve
-- that never moved by half as much before. after: how many points are that high; before: the point
-- in front of them.
with
    point as (
        select
            s.series_id,
            s.family,
            s.name,
            s.rank as series_rank,
            s.points as series_points,
            p.file_id,
            p.line_no,
            p.time,
            p.step,
            p.value,
            row_number() over w as place,
            lag(p.value) over w as before,
            p.step <= lag(p.step) over w as is_again,
            lag(p.file_id) over w as before_file,
            lag(p.line_no) over w as before_line,
            min(p.value) over (w rows between current row and unbounded following) as low_after,
            count(*) over (w rows between current row and unbounded following) as after
        from series s
        join series_point p using (series_id)
        where
            s.canonical = 'validation_loss'
            and s.points between 10 and 100000
            and s.files = 1
            and not s.stepless
            and isfinite(p.value)
            and s.family in (select family from series where canonical = 'loss')
        window w as (partition by s.series_id order by p.ordinal)
    ),
    moved as (
        select
            *,
            -- the first ones fall as they like
            max(abs(ln(value / before))) filter (place > 3) over earlier as usual
        from point
        where value > 0 and (before is null or before > 0)
        window
            earlier as (
                partition by series_id
                order by place
                rows between unbounded preceding and 1 preceding
            )
    ),
    jump as (
        select *
        from moved
        where
            place >= 9
            and value > 2.5 * before
            and low_after > 2.5 * before
            and usual < 0.2
            and 2 * after <= series_points
            and 3 * usual < ln(low_after / before)
            -- a second run in the file begins high
            and series_id not in (select series_id from point where is_again)
        qualify row_number() over (partition by series_id order by place) = 1
    ),
    last_point as (
        select
            p.series_id,
            max(p.value) as peak,
            arg_max(p.value, p.place) as level,
            arg_max(line_at(p.file_id, p.line_no), p.place) as last_evidence
        from point p
        join jump j on j.series_id = p.series_id and p.place >= j.place
        group by p.series_id
    ),
    -- a model that has learned its data by heart
    learned_by_heart as (
        select j.series_id
        from jump j
        join series s on s.family = j.family and s.canonical = 'loss'
        join
            series_point p
            on p.series_id = s.series_id
            and p.file_id = j.file_id
            and p.line_no >= j.before_line
        group by j.series_id, j.before
        having median(p.value) < 0.1 * j.before
    ),
    -- the training broke as well, or its task is another
    broken as (
        select j.series_id
        from jump j
        join excursion e on e.end_step is null or e.end_step >= j.step
        join series s on s.series_id = e.series_id and s.canonical in ('loss', 'grad_norm')
        where e.kind <> 'dip'
        union
        select j.series_id
        from jump j
        join
            planned_change c
            on c.file_id = j.file_id
            and c.line_no between j.before_line and j.line_no
    )
select j.* exclude (usual, low_after, is_again, value, place, family), l.* exclude (series_id)
from jump j
join last_point l using (series_id)
where
    j.series_id not in (select series_id from learned_by_heart)
    and j.series_id not in (select series_id from broken)
