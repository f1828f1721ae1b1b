/*
title = "Training went back to an earlier checkpoint"
severity = "warning"
confidence = "definite"
status = "stable"
about = "Steps repeat: after a restart training went on from a step it had already passed, and the work in between was done twice."
remedy = "If it was not meant: save checkpoints more often, and find out what ended the run before. What stands behind the way back (spike, NaN, crash) is the cause."
false_positives = "Two runs written into one file whose steps do not begin anew."
references = ["https://arxiv.org/abs/2204.02311"]
*/
with
    back as (
        select
            g.*,
            s.name,
            s.canonical,
            count_if(apart) over (order by g.to_step, g.from_step, g.series_id) as incident_no
        from
            (
                select
                    *,
                    coalesce(
                        abs(to_step - lag(to_step) over (order by to_step, from_step, series_id))
                        > 0.002 * to_step + 5
                        or series_id = lag(series_id) over (order by to_step, from_step, series_id),
                        true
                    ) as apart
                from segment
                where to_step is not null and lost >= 2 and state <> 'chaotic'
            ) g
        join series s using (series_id)
        where
            s.canonical in (
                'loss',
                'validation_loss',
                'grad_norm',
                'epoch_loss',
                'policy_loss',
                'adversarial_loss'
            )
            -- Steps that are trained again are logged again, or somebody said that a checkpoint
            -- was loaded: a table of experiments does neither.
            and (
                g.from_file <> g.file_id
                or exists (from training_event e where e.kind in ('resume', 'load', 'start'))
                or (
                    select count(*)
                    from
                        (
                            select step
                            from series_point p
                            where
                                p.series_id = g.series_id
                                and p.step between g.to_step and g.from_step
                            group by step
                            having count(*) > 1
                        )
                )
                >= 2
                -- Where most of what lies between was never logged, excerpts of several runs
                -- stand in one file.
                and g.from_step - g.to_step
                < 10
                * g.lost
                * (
                    select median(d)
                    from
                        (
                            select step - lag(step) over (order by line_no) as d
                            from series_point p
                            where p.series_id = g.series_id and p.file_id = g.file_id
                        )
                    where d > 0
                )
            )
    ),
    one as (
        select *
        from back
        qualify
            row_number() over (
                partition by incident_no order by canonical = 'loss' desc, lost desc, series_id
            )
            = 1
    )
select
    'Training went back from step '
    || plain(o.from_step)
    || ' to step '
    || plain(o.to_step)
    || ': '
    || o.lost
    || ' logged points were trained again' as summary,
    [
        line_at(o.from_file, o.from_line),
        line_at(o.file_id, o.line_no),
        line_at(l.file_id, l.line_no)
    ] as evidence,
    o.to_step as step,
    o.from_step,
    o.lost as lost_points,
    l.path
from one o
left join
    lateral(
        select *
        from training_event e
        where
            e.kind in ('resume', 'load')
            and e.file_id = o.file_id
            and e.line_no < o.line_no
            and e.line_no > case when o.from_file = o.file_id then o.from_line else 0 end
        order by e.path is null, e.line_no
        limit 1
    ) l
    on true
