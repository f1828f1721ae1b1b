-- table: One row per curve of a loss whose last values are all the same to the digit (points: how
-- many, from start_step on) and above zero, where that is no rest: it varied before and stood far
-- lower (after_noise), or it is a value at which a cross entropy is clipped (clip_of), or the one
-- Caffe prints for NaN (is_nan). base: the usual value before.
with
    judged as (
        select
            p.series_id,
            l.value,
            l.series_points,
            max({'turn':p.turn, 'ordinal':p.ordinal}) filter (
                p.value is distinct from l.value
            ) as last_other,
            count(*) filter (p.value is distinct from l.value) as others,
            count(distinct p.value) filter (p.value is distinct from l.value) as different,
            median(p.value) filter (p.value is distinct from l.value) as base,
            quantile_cont(p.value, 0.95) filter (p.value is distinct from l.value) as high
        from series_point p
        join resting_loss l using (series_id)
        group by all
    ),
    standing as (
        select
            j.series_id,
            j.value,
            j.series_points,
            j.others,
            j.different,
            j.base,
            j.high,
            count(*) as points,
            min_by(
                {'file_id':p.file_id, 'line_no':p.line_no, 'step':p.step, 'time':p.time},
                {'turn':p.turn, 'ordinal':p.ordinal}
            ) as first_place,
            max_by(
                {'file_id':p.file_id, 'line_no':p.line_no, 'step':p.step},
                {'turn':p.turn, 'ordinal':p.ordinal}
            ) as last_place
        from series_point p
        join judged j using (series_id)
        where j.last_other is null or {'turn':p.turn, 'ordinal':p.ordinal} > j.last_other
        group by all
    ),
    before as (
        select
            s.series_id,
            max_by(
                {'file_id':p.file_id, 'line_no':p.line_no, 'step':p.step, 'value':p.value},
                {'turn':p.turn, 'ordinal':p.ordinal}
            ) as place
        from standing s
        join series_point p using (series_id)
        where p.value is distinct from s.value
        group by s.series_id
    ),
    told as (
        select
            t.*,
            s.name,
            s.canonical,
            s.rank as series_rank,
            s.stepless,
            c.clip_of,
            coalesce(
                t.points >= 30
                and t.points >= 0.02 * t.series_points
                and t.others >= 30
                -- of few digits, or of a measure that is seldom taken, any value comes again
                and t.different >= case when c.clip_of is null then 0.8 else 0.3 end * t.others
                and t.value > 3 * t.base
                and t.value > t.high,
                false
            ) as after_noise,
            -- the logarithm of the least number of single precision, times a weight that is told
            t.points >= 2
            and (
                abs(t.value - 87.3365) < 0.0006
                or exists (
                    from training_mark m
                    where
                        m.kind = 'nan_clamped'
                        and m.file_id = t.first_place.file_id
                        and abs(m.metric_value - t.value) <= 1e-5 * t.value
                )
            ) as is_nan
        from standing t
        join series s using (series_id)
        left join clipped_loss c on abs(t.value - c.clip_value) <= 1e-6 * c.clip_value
    )
select
    t.series_id,
    t.name,
    t.canonical,
    t.series_rank,
    t.stepless,
    t.value,
    t.points,
    t.series_points,
    t.base,
    t.clip_of,
    t.after_noise,
    t.is_nan,
    t.first_place.file_id as file_id,
    t.first_place.line_no as line_no,
    t.first_place.step as start_step,
    t.first_place.time as time,
    t.last_place.file_id as last_file,
    t.last_place.line_no as last_line,
    t.last_place.step as last_step,
    b.place.file_id as before_file,
    b.place.line_no as before_line,
    b.place.step as before_step,
    b.place.value as before_value
from told t
left join before b using (series_id)
where
    t.after_noise
    or t.is_nan
    -- a whole number may be anything
    or t.points >= 10
    and t.clip_of is not null
    and (t.canonical = 'adversarial_loss' or t.value <> round(t.value))
