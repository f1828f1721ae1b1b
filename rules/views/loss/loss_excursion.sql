-- table: One row per excursion of a curve that is finite (kind: rise, lone, outlier, shift, trend,
-- dip), with what else happened there. change: the planned change next to it; by_rate: the learning
-- rate explains it; validation_falls: validation went on falling; of_part: it is of a part of the
-- loss and speaks for itself; of_all_parts: no sum is printed, and all parts of the loss that are
-- rose there; worn_off: next to nothing of the loss is left, and it stays far below
-- where it began; slack: steps by which places of different curves may differ.
with
    here as (
        select
            e.*,
            s.name,
            s.canonical,
            s.family,
            s.rank as series_rank,
            s.averaged,
            s.stepless,
            exists (from series o where o.canonical in ('loss', 'adversarial_loss')) as any_loss,
            -- Equal places of different curves lie within a few points of the coarser one; where a
            -- slow rise begins is no one point.
            greatest(
                3 * e.interval,
                0.002 * abs(e.start_step),
                5,
                case when e.kind = 'trend' then 0.1 * e.last_step end
            ) as slack,
            count_if(e.kind = 'rise') over (partition by e.series_id, e.run) as of_series
        from excursion e
        join series s using (series_id)
        -- not where another run of the tracker begins, which has nothing of the one before
        where
            not exists (
                from training_mark m
                where
                    m.kind = 'run_named'
                    and m.file_id = e.file_id
                    and m.line_no < e.line_no
                    and m.line_no > (
                        select max(p.line_no)
                        from series_point p
                        where
                            p.series_id = e.series_id
                            and p.file_id = e.file_id
                            and p.line_no < e.line_no
                    )
            )
    ),
    risen as (
        select series_id, start_step
        from here
        where kind in ('rise', 'shift') and height > 0.5 or kind = 'trend' and height > 1
    ),
    beginning as (
        select series_id, median(value) as level
        from
            (
                select series_id, value
                from series_point
                where series_id in (select series_id from here)
                qualify row_number() over (partition by series_id order by ordinal) <= 20
            )
        group by series_id
    ),
    -- the first rate after a resume, as a multiple of the last one before it
    rate_at_resume as (
        select
            h.boundary_step,
            arg_min(m.value, m.step) filter (m.step > h.before_step)
            / nullif(arg_max(m.value, m.step) filter (m.step <= h.before_step), 0) as ratio
        from
            (
                select boundary_step, min(before_step) as before_step
                from here
                where boundary_step is not null
                group by boundary_step
            ) h
        join metric m on m.canonical = 'learning_rate' and isfinite(m.value)
        group by h.boundary_step
    )
select
    h.*,
    (
        select
            arg_min(
                {'file_id':p.file_id, 'line_no':p.line_no, 'step':p.step, 'what':p.what},
                abs(p.step - h.start_step)
            )
        from planned_change p
        where
            p.step
            between coalesce(h.before_step, h.start_step)
            - 3
            * h.interval and case
                h.kind when 'trend' then h.last_step else h.start_step + 3 * h.interval
            end
    ) as change,
    -- A warm restart of the rate lifts the loss for a while; a rate that grows lifts it a little
    -- for good.
    -- From nearly nothing back up: the schedule begins anew, and with it whatever was planned to,
    -- but never higher than the training began. A resume that goes on at once with another rate
    -- lost its schedule.
    coalesce(
        h.driver_ratio > 3
        and h.height < 0.5
        and not (h.boundary_step is not null and coalesce(r.ratio >= 3, false))
        or h.driver_ratio > 100
        and h.start_step > 0.1 * h.last_step
        and not coalesce(h.peak > 10 * b.level and b.level > 0, false)
        or h.kind in ('trend', 'shift')
        and h.driver_ratio > 1.15
        and h.height < 0.15,
        false
    ) as by_rate,
    -- Validation that went on falling says that the model is well and the training loss measures
    -- something else.
    (
        select
            avg(m.value) filter (
                m.step > h.start_step + 0.3 * (coalesce(h.end_step, h.last_step) - h.start_step)
            )
            < 0.995
            * arg_max(m.value, m.step) filter (m.step <= coalesce(h.before_step, h.start_step))
        from metric m
        where
            m.canonical = 'validation_loss'
            and m.file_id = h.file_id
            and isfinite(m.value)
            and m.step <= coalesce(h.end_step, h.last_step)
    ) as validation_falls,
    coalesce(
        h.kind = 'rise'
        and h.logarithmic
        and h.sigmas > 8
        and h.height > 0.35
        and h.height < 0.1 * h.sigmas
        and h.points >= 3
        and h.boundary_step is null
        and h.branch = 'live'
        and h.of_series <= 2
        and h.start_step > 0.05 * h.last_step
        and h.end_step - h.start_step <= greatest(0.05 * h.planned, 12 * h.interval)
        and (h.canonical = 'component_loss' or h.canonical = 'validation_loss' and h.any_loss)
        -- What plays against an adversary goes up when that one learns.
        and not exists (
            from series o where o.family = h.family and o.canonical = 'adversarial_loss'
        )
        and not exists (
            from here o
            where
                o.canonical = 'loss'
                and o.kind not in ('nonfinite', 'outlier')
                and o.start_step <= coalesce(h.end_step, h.last_step) + o.slack
                and coalesce(o.end_step, o.last_step) >= h.start_step - o.slack
        ),
        false
    ) as of_part,
    coalesce(
        h.canonical = 'component_loss'
        and not h.any_loss
        and (h.kind in ('rise', 'shift') and h.height > 0.5 or h.kind = 'trend' and h.height > 1)
        and (
            select
                count(*) >= 2
                and bool_and(
                    o.series_id in (
                        select series_id
                        from risen r
                        where abs(r.start_step - h.start_step) <= h.slack
                    )
                )
            from series o
            where
                o.family = h.family
                and o.canonical = 'component_loss'
                and o.rank is not distinct from h.series_rank
                and o.points > 0.5 * h.series_points
        ),
        false
    ) as of_all_parts,
    coalesce(h.base < 0.01 * b.level and h.peak < 0.25 * b.level, false) as worn_off,
    -- A lone point a thousand times as high as its neighbours, or twenty times and far above where
    -- the training began: no batch is that hard. Nor is it one that a part of the loss is high for
    -- long after, or a mean over the whole of the validation.
    coalesce(
        h.kind in ('outlier', 'lone')
        and (
            h.canonical = 'validation_loss'
            and h.base > 0
            and h.peak > 100 * h.base
            or h.logarithmic
            and (
                h.kind = 'outlier'
                and h.height > ln(1000)
                or h.height > ln(20)
                and b.level > 0
                and h.peak > 5 * b.level
                or h.height > ln(30)
                and exists (
                    from here p
                    where
                        p.kind = 'rise'
                        and p.logarithmic
                        and p.height > ln(30)
                        and p.points >= 5
                        and p.family = h.family
                        and p.series_id <> h.series_id
                        and p.series_rank is not distinct from h.series_rank
                        and p.branch = h.branch
                        and abs(p.start_step - h.start_step) <= h.interval
                )
            )
        ),
        false
    ) as beyond_a_batch
from here h
left join beginning b using (series_id)
left join rate_at_resume r on r.boundary_step = h.boundary_step
where h.kind <> 'nonfinite'
