-- table: One row per jump of the training loss; curves that jump together are one row. Of the
-- validation loss where nothing else is printed, and then only what jumps. Parts of a loss (data
-- sets, tasks, heads) and validation beside it speak where they jump far, which is not their habit,
-- and come back soon: new levels are planned or, in validation, natural. class: fast, slow,
-- unrecovered; alone: only a part of the loss jumped; is_due: its turn in a rhythm, where the log
-- ends.
with
    usable as (
        select *
        from loss_excursion e
        where
            (
                canonical = 'loss'
                or canonical = 'validation_loss'
                and not any_loss
                and kind in ('rise', 'lone')
                and height > 0.3
                or canonical = 'validation_loss'
                and beyond_a_batch
                or of_part
                or of_all_parts
            )
            and (kind not in ('dip', 'outlier') or beyond_a_batch)
            and not in_dip
            and not by_rate
            -- The way up into NaN is part of the NaN.
            and not exists (
                from excursion n
                where
                    n.kind = 'nonfinite'
                    and n.series_id = e.series_id
                    and n.run = e.run
                    and n.start_step
                    between e.start_step and coalesce(e.peak_step, e.start_step) + 6 * e.interval
                    and (e.end_step is null or e.end_step >= n.start_step)
            )
            and not exists (
                from frozen_loss f
                where
                    f.is_nan
                    and f.series_id = e.series_id
                    and f.start_step <= coalesce(e.peak_step, e.start_step)
            )
    ),
    islands as (
        select *, count_if(apart) over (order by branch, start_step, series_id, run) as incident_no
        from
            (
                select
                    *,
                    coalesce(
                        branch <> lag(branch) over w
                        or start_step > lag(start_step) over w + greatest(slack, lag(slack) over w)
                        or series_id = lag(series_id) over w,
                        true
                    ) as apart
                from usable
                window w as (order by branch, start_step, series_id, run)
            )
    ),
    gap as (
        select
            series_id,
            run,
            start_step,
            height,
            start_step
            - lag(start_step) over (partition by series_id, run order by start_step) as gap
        from usable
        where end_step is not null or kind = 'shift'
    ),
    usual_gap as (
        select series_id, run, median(gap) as usual
        from gap
        group by all
        having count(gap) >= 4 or count(gap) = 3 and max(gap) - min(gap) <= 0.02 * min(gap)
    ),
    -- what a training does again and again: a phase of every third epoch, a new shard of data
    rhythm as (
        select u.series_id, u.run, any_value(u.usual) as steps
        from usual_gap u
        join gap g using (series_id, run)
        group by u.series_id, u.run
        having
            avg(
                exists (
                    from gap o
                    where
                        o.series_id = g.series_id
                        and o.run = g.run
                        and abs(abs(o.start_step - g.start_step) - u.usual) <= 0.08 * u.usual
                )::int
            )
            >= 0.8
        union
        -- low steps, three or more, at multiples of one distance: epochs, not all of which are seen
        select series_id, run, min(gap) as steps
        from
            (
                select *, gap / min(gap) over (partition by series_id, run) as times
                from gap
                where gap > 0
            )
        group by series_id, run
        having
            count(*) >= 2 and bool_and(abs(times - round(times)) <= 0.03) and bool_and(height < 0.3)
    ),
    own_rhythm as (
        select series_id, run, round(max(steps))::bigint as rhythm_steps
        from rhythm
        group by series_id, run
    ),
    -- where in its epoch a jump is, of logs that count the steps of each epoch anew
    epoch_place as (
        select u.series_id, u.run, u.start_step, t.epoch_no, t.step as place, l.steps
        from usable u
        join training_line t on t.file_id = u.file_id and t.line_no = u.line_no
        join
            (
                select file_id, max(step) as steps
                from training_line
                where epoch_no is not null
                group by file_id
            ) l
            on l.file_id = u.file_id
        where t.epoch_no is not null and u.end_step is not null and l.steps >= 100
    ),
    -- one of three epochs or more that are hard at the same place: the data's order
    hard_place as (
        select a.series_id, a.run, a.start_step, max(a.steps)::bigint as steps
        from epoch_place a
        join
            epoch_place b
            on b.series_id = a.series_id
            and b.epoch_no <> a.epoch_no
            and abs(b.place - a.place) <= 0.01 * a.steps
        group by a.series_id, a.run, a.start_step
        having count(distinct b.epoch_no) >= 2
    ),
    -- the jump whose turn it was, in a log that ends before those before it were over
    due as (
        select u.series_id, u.run, u.start_step
        from usable u
        join own_rhythm r using (series_id, run)
        join
            (
                select series_id, run, max(start_step) as start_step, max(points) as points
                from usable
                where end_step is not null
                group by series_id, run
            ) o using (series_id, run)
        where
            u.end_step is null
            and u.kind <> 'shift'
            and u.points <= 2 * o.points
            and abs(u.start_step - o.start_step - r.rhythm_steps) <= 0.08 * r.rhythm_steps
    )
-- One row for each incident: the curve with the most points speaks, the others are named.
select
    *,
    list(distinct name order by name) filter (not of_part or alone) over (
        partition by incident_no
    ) as names,
    list(line_at(file_id, line_no)) over (partition by incident_no) as elsewhere,
    list(distinct series_rank) filter (series_rank is not null) over (
        partition by incident_no
    ) as of_ranks,
    case
        when end_step is null
        then 'unrecovered'
        -- By its own length, whatever was planned: the spikes that recover fast in published runs
        -- take up to 400 steps, those called slow 700 and more.
        when points <= 10 or end_step - start_step <= 500
        then 'fast'
        else 'slow'
    end as class
from
    (
        select
            i.*,
            coalesce(r.rhythm_steps, h.steps) as rhythm_steps,
            d.start_step is not null as is_due,
            bool_and(of_part) over (partition by incident_no) as alone
        from islands i
        left join
            due d on d.series_id = i.series_id and d.run = i.run and d.start_step = i.start_step
        left join
            hard_place h
            on h.series_id = i.series_id
            and h.run = i.run
            and h.start_step = i.start_step
        left join
            own_rhythm r
            on r.series_id = i.series_id
            and r.run = i.run
            and (i.end_step is not null or i.kind = 'shift' or d.start_step is not null)
    )
qualify
    row_number() over (
        partition by incident_no order by of_part, series_points desc, sigmas desc, series_id
    )
    = 1
