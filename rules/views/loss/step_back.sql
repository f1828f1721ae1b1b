-- table: One row per place where training goes on from a step that it had already passed (segment):
-- from from_step back to to_step, with `lost` points that are logged again. Curves that fall back
-- together are one: the loss speaks for them.
with
    fallback as (
        select
            *,
            coalesce(
                abs(to_step - lag(to_step) over w) > 0.002 * to_step + 5
                or series_id = lag(series_id) over w,
                true
            ) as is_apart
        from segment
        where to_step is not null and lost >= 2 and state <> 'chaotic'
        window w as (order by to_step, from_step, series_id)
    ),
    numbered as (
        select
            f.*,
            s.name,
            s.canonical,
            count_if(is_apart) over (order by to_step, from_step, series_id) as incident_no
        from fallback f
        join series s using (series_id)
    ),
    believed as (
        select *
        from numbered n
        where
            canonical in (
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
                from_file <> file_id
                or exists (from training_event e where e.kind in ('resume', 'load', 'start'))
                or (
                    select count(*)
                    from step_logged_again p
                    where p.series_id = n.series_id and p.step between n.to_step and n.from_step
                )
                >= 2
                -- Where most of what lies between was never logged, excerpts of several runs are
                -- in one file.
                and from_step - to_step
                < 10
                * lost
                * (
                    select usual_distance
                    from step_distance d
                    where d.series_id = n.series_id and d.file_id = n.file_id
                )
            )
    )
select *
from believed
qualify
    row_number() over (
        partition by incident_no order by canonical = 'loss' desc, lost desc, series_id
    )
    = 1
