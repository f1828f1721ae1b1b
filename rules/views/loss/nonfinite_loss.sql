-- table: One row per stretch of a curve (excursion) that is NaN or infinite and counts as a loss
-- that broke; a lone value does not. value: NaN | Inf, as it began.
with
    whole_loss as (  -- what a training minimizes, in a family of curves
        select family, series_id
        from series
        where canonical in ('loss', 'policy_loss', 'value_loss', 'adversarial_loss', 'epoch_loss')
    )
select
    e.*,
    s.name,
    s.canonical,
    s.rank as series_rank,
    s.stepless,
    (
        select case when bool_or(isinf(p.value)) then 'Inf' else 'NaN' end
        from series_point p
        where
            p.series_id = e.series_id
            and p.file_id = e.file_id
            and p.line_no = e.line_no
            and not isfinite(p.value)
    ) as value
from excursion e
join series s using (series_id)
where
    e.kind = 'nonfinite'
    and case
        when e.series_id in (select series_id from whole_loss)
        then e.points >= 2 or e.end_step is null
        -- parts of a loss whose sum nobody prints
        when s.canonical = 'component_loss'
        then
            e.points >= 2
            and e.end_step is null
            and e.before_step is not null
            and s.family not in (select family from whole_loss)
        -- A scaler that searches its scale gives infinite norms by nature: only what never ends
        -- counts.
        when s.canonical = 'grad_norm'
        then e.points >= 5 and e.end_step is null and e.before_step is not null
    end
