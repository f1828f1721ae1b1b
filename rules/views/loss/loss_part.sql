-- table: One row per curve of a part of a loss. bad: how many of its values are NaN or infinite;
-- bad_step, last_step: steps of the first of these and of the last number; first_bad, last_bad,
-- last_number: their place in the log (ordinal); of_a_kind: it is one of many that only numbers
-- tell apart (tasks, classes, layers), others of which are finite; of_mean: it is the mean over the
-- training of an epoch.
with
    part as (
        select
            s.series_id,
            s.family,
            s.name,
            s.canonical,
            s.rank as series_rank,
            s.stepless,
            s.files,
            s.points as series_points,
            is_mean_of_training(s.name) as of_mean,
            regexp_replace(s.name, '[0-9]+', '#', 'g') as kind,
            count_if(not isfinite(p.value)) as bad,
            max(p.ordinal) filter (isfinite(p.value)) as last_number,
            min(p.ordinal) filter (not isfinite(p.value)) as first_bad,
            max(p.ordinal) filter (not isfinite(p.value)) as last_bad,
            arg_max(p.step, p.ordinal) filter (isfinite(p.value)) as last_step,
            arg_min(p.step, p.ordinal) filter (not isfinite(p.value)) as bad_step
        from series s
        join series_point p using (series_id)
        where s.canonical = 'component_loss'
        group by all
    )
select
    * exclude (kind),
    count(*) over of_it > 1
    and coalesce(max(last_number) over of_it > first_bad, false) as of_a_kind
from part
window of_it as (partition by family, kind, series_rank)
