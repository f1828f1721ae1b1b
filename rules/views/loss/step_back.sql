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
    counted_step as (
        select file_id, line_no, step
        from line_metric
        where step is not null
        union all
        select file_id, line_no, step
        from training_mark
        where kind = 'count'
    ),
    turn as (
        select
            series_id,
            file_id,
            line_no,
            step,
            lag(step) over in_order as step_before,
            lead(step) over in_order as step_behind
        from series_point
        where series_id in (select series_id from numbered)
        window in_order as (partition by series_id, file_id order by ordinal)
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
            -- Another run, whose loss is logged late: it passed the first steps too, or bears
            -- another id and says nothing of going on; or all of its file is how it ended.
            and not exists (
                from series_member k
                join series_member o on o.series_id = k.series_id and o.file_id = n.from_file
                where
                    k.series_id = n.series_id
                    and k.file_id = n.file_id
                    and k.file_id <> o.file_id
                    and (
                        k.points = 1
                        or (
                            tracked_run(k.source) <> tracked_run(o.source)
                            and k.file_id not in (
                                select file_id from training_event where kind in ('resume', 'load')
                            )
                        )
                        or (
                            select min(m.step) <= 0.1 * n.to_step and max(m.step) >= 0.5 * n.to_step
                            from line_metric m
                            where
                                m.file_id = n.file_id
                                and m.line_no < n.line_no
                                and m.step < n.to_step
                        )
                        is true
                    )
            )
            -- Or it begins anew in the same file.
            and (
                from_file <> file_id
                or (
                    select min(m.step) <= 0.1 * n.to_step and max(m.step) >= 0.5 * n.to_step
                    from counted_step m
                    where
                        m.file_id = n.file_id
                        and m.line_no > n.from_line
                        and m.line_no < n.line_no
                        and m.step < n.to_step
                )
                is not true
            )
            -- Steps before and after it take turns: two processes write into one file.
            and not exists (
                from turn t
                where
                    t.series_id = n.series_id
                    and t.file_id = n.file_id
                    and t.line_no > n.from_line
                    and t.step > n.from_step
                    and t.step_before < n.from_step
                    and t.step_behind < n.from_step
                    and t.step_behind >= t.step_before
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
