-- table: One row per stretch of a curve (excursion) that is NaN or infinite and counts as a loss
-- that broke. value: NaN | Inf, as it began; passing: a lone value, after which it was finite
-- again; of_gradient: only the norm of the gradients has it, at the end of the log; unlearned: from
-- the first value on, while the loss is finite and does not fall; undecided: or where too few
-- losses are printed to tell; loss_is_zero: the loss is printed as exactly zero from there on;
-- of_validation: only the loss of the validation, to the
-- end, while that of the training is printed beside it; nan_times, of_times: or in some
-- evaluations only, and finite again after each.
with
    scaled as (  -- where a loss scale is searched, lone infinite values are everyday
        select file_id
        from training_event
        where kind in ('overflow', 'scale_down', 'scale_up', 'scale_minimum')
        union
        select file_id
        from metric
        where canonical = 'loss_scale' and value <> 1  -- bf16 prints a scale of 1 that never moves
    ),
    stretches as (
        select series_id, count(*) as stretches
        from excursion
        where kind = 'nonfinite'
        group by series_id
    ),
    whole_loss as (  -- what a training minimizes, in a family of curves
        select family, series_id
        from series
        where canonical in ('loss', 'policy_loss', 'value_loss', 'adversarial_loss', 'epoch_loss')
    ),
    whole_sum as (  -- one that is named after its kind is a part beside other kinds
        select family
        from series
        where
            canonical in ('loss', 'policy_loss', 'value_loss', 'adversarial_loss', 'epoch_loss')
            and not is_kind_of_loss(name)
    ),
    parts_never_finite as (  -- several parts of a loss, of which none was ever a number
        select s.family
        from series s
        join series_point p using (series_id)
        where s.canonical = 'component_loss'
        group by s.family
        having count(distinct s.series_id) >= 2 and not bool_or(isfinite(p.value))
    ),
    half as (  -- of the losses beside a norm
        select
            s.family,
            s.series_id,
            p.value,
            ntile(2) over (partition by s.series_id order by p.ordinal) as half
        from series s
        join series_point p using (series_id)
        where
            s.canonical = 'loss'
            and s.family in (select family from series where canonical = 'grad_norm')
    ),
    halves as (
        select
            family,
            count(*) as points,
            bool_and(isfinite(value) and value > 0) as positive,
            median(value) filter (half = 1) as median_of_first,
            median(value) filter (half = 2) as median_of_second,
            min(value) filter (half = 1) as lowest_of_first,
            max(value) filter (half = 2) as highest_of_second
        from half
        group by family, series_id
    ),
    course as (  -- whether they fall, and whether they do not
        select
            family,
            bool_or(
                points >= 6 and positive and median_of_second >= 0.98 * median_of_first
            ) as is_level,
            bool_or(
                points >= 20
                and median_of_second < 0.98 * median_of_first
                or points >= 6
                and highest_of_second < lowest_of_first
            ) as is_falling
        from halves
        group by family
    ),
    zeroed as (  -- from there on the loss, positive before, is printed as exactly zero
        select e.series_id, e.file_id, e.line_no
        from excursion e
        join series s using (series_id)
        join metric l on l.file_id = e.file_id and l.canonical = 'loss'
        where
            e.kind = 'nonfinite'
            and s.canonical = 'grad_norm'
            and e.end_step is null
            and e.points >= 2
        group by e.series_id, e.file_id, e.line_no
        having
            bool_and(l.value = 0) filter (l.line_no >= e.line_no)
            and bool_or(l.value > 0) filter (l.line_no < e.line_no)
    ),
    -- in a few evaluations, not where a column is empty between them
    now_and_then as (
        select
            p.series_id, count(*) filter (not isfinite(p.value)) as nan_times, count(*) as of_times
        from series_point p
        join series s using (series_id)
        where s.canonical = 'validation_loss'
        group by p.series_id
        having
            count(*) filter (not isfinite(p.value)) between 2 and 0.25 * count(*)
            and count(*) filter (isfinite(p.value)) >= 8
    ),
    trained as (select series_id from series where canonical <> 'validation_loss'),
    validated as (  -- there is something to validate with: another figure of it is a number
        select source_family(source) as family
        from metric
        where
            name ~ '(?i)(^|[^a-z])(val|valid|validation|eval|test|dev)([^a-z]|$)'
            and canonical is distinct from 'validation_loss'
            and isfinite(value)
        group by all
        having count(*) >= 3
    )
select
    e.*,
    s.name,
    s.canonical,
    s.rank as series_rank,
    s.stepless,
    e.points < 2 and e.end_step is not null as passing,
    s.canonical = 'grad_norm' as of_gradient,
    s.canonical = 'grad_norm'
    and e.before_step is null
    and coalesce(c.is_level, false) as unlearned,
    s.canonical = 'grad_norm'
    and e.before_step is null
    and coalesce(not c.is_level and not c.is_falling, false) as undecided,
    (e.series_id, e.file_id, e.line_no) in (from zeroed) as loss_is_zero,
    s.canonical = 'validation_loss' and exists (from trained) as of_validation,
    case when e.end_step is not null then w.nan_times end as nan_times,
    case when e.end_step is not null then w.of_times end as of_times,
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
join stretches t using (series_id)
left join now_and_then w using (series_id)
left join course c on c.family = s.family
where
    e.kind = 'nonfinite'
    and case
        -- before the training begins: samples are gathered first
        when
            e.before_step is null
            and e.end_step is not null
            and t.stretches = 1
            and s.points >= 10 * e.points
        then false
        when e.series_id in (select series_id from whole_loss)
        then
            e.points >= 2
            or e.end_step is null
            -- one poisoned window: not where the program prints nan as a habit
            or s.canonical in ('loss', 'policy_loss')
            and e.before_step is not null
            and t.stretches <= 2
            and e.file_id not in (select file_id from scaled)
        when s.canonical = 'validation_loss' and e.end_step is not null
        then w.nan_times is not null and e.before_step is not null and exists (from trained)
        when s.canonical = 'validation_loss'
        then
            e.points >= 3
            and (
                e.before_step is not null
                or not exists (from trained)
                or s.family in (select family from validated)
            )
        -- parts of a loss whose sum nobody prints
        when s.canonical = 'component_loss'
        then
            e.end_step is null
            and (
                e.points >= case when e.before_step is not null then 2 else 4 end
                or s.family in (select family from parts_never_finite)
            )
            and s.family not in (select family from whole_sum)
            and s.family not in (select family from nonfinite_part)
            and e.series_id not in (select series_id from loss_part where of_a_kind)
        -- A scaler that searches its scale gives infinite norms by nature: only what never ends
        -- counts.
        when s.canonical = 'grad_norm'
        then
            e.end_step is null
            and (
                -- the loss of that very line is out of all proportion to those before
                (
                    select
                        max(l.value) filter (l.line_no = e.line_no)
                        > 10 * max(l.value) filter (l.line_no < e.line_no)
                        and count(*) filter (l.line_no < e.line_no) >= 2
                    from metric l
                    where l.canonical = 'loss' and l.file_id = e.file_id and l.value > 0
                )
                or (e.series_id, e.file_id, e.line_no) in (from zeroed)
                -- all there is of the log: no loss tells how it goes
                or e.before_step is null
                and e.file_id not in (select file_id from scaled)
                -- also of lines without a step
                and (
                    select count(*) >= 2 and not bool_or(isfinite(m.value))
                    from metric m
                    where m.file_id = e.file_id and m.canonical = 'grad_norm'
                )
                and (
                    s.family not in (select family from whole_loss)
                    -- or it does not tell that anything is learned
                    or not c.is_falling
                )
                or e.before_step is not null
                and e.points >= 5
                -- it had left all bounds before
                or e.base > 1e9
                and e.points >= 2
                or e.before_step is not null
                and t.stretches = 1
                and e.file_id not in (select file_id from scaled)
                and exists (
                    from series_point p
                    where
                        p.series_id = e.series_id
                        and p.file_id = e.file_id
                        and p.line_no = e.line_no
                        and isnan(p.value)
                )
                and (
                    select count(*)
                    from series_point p
                    where p.series_id = e.series_id and isfinite(p.value)
                )
                >= case when e.points >= 2 then 4 else 5 end
            )
    end
