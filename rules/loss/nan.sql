/*
title = "Loss is not a number"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["loss.rollback", "crash"]
about = "The loss or the gradient norm became NaN or infinite and stayed so, or the loss scale collapsed because every step overflowed."
remedy = "Go back to the last checkpoint before it. Look at the step before: gradient norm, learning rate, loss scale. With fp16 try bf16 or a lower rate; otherwise check the batch of that step, and which rank saw it first."
false_positives = "A metric that the program prints as nan where it has none."
references = ["https://github.com/bigscience-workshop/bigscience/blob/master/train/tr8-104B-wide/chronicles.md", "https://pytorch.org/docs/stable/notes/amp_examples.html"]
*/
with
    bad as (
        select e.*, s.name, s.canonical, s.rank as series_rank, s.stepless
        from excursion e
        join series s using (series_id)
        where
            e.kind = 'nonfinite'
            and case
                when
                    s.canonical
                    in ('loss', 'policy_loss', 'value_loss', 'adversarial_loss', 'epoch_loss')
                then e.points >= 2 or e.end_step is null
                -- Parts of a loss whose sum nobody prints.
                when s.canonical = 'component_loss'
                then
                    e.points >= 2
                    and e.end_step is null
                    and e.before_step is not null
                    and not exists (
                        from series o
                        where
                            o.family = s.family
                            and o.canonical in (
                                'loss',
                                'policy_loss',
                                'value_loss',
                                'adversarial_loss',
                                'epoch_loss'
                            )
                    )
                -- A scaler that searches its scale gives infinite norms by nature: only what
                -- never ends counts.
                when s.canonical = 'grad_norm'
                then e.points >= 5 and e.end_step is null and e.before_step is not null
            end
    ),
    first as (
        select *, count(*) over () as places
        from bad
        qualify
            row_number() over (
                order by start_step, canonical <> 'loss', series_points desc, series_id
            )
            = 1
    ),
    fall as (
        select *, (case when value > lag(value) over w then 1 else 0 end) as grew
        from
            (
                select file_id, line_no, time, rank, value, coalesce(step, -1) as step
                from training_event
                where kind in ('overflow', 'scale_down', 'scale_up') and value is not null
                union all
                select file_id, line_no, time, rank, value, step
                from metric
                where canonical = 'loss_scale' and value > 0
            )
        window w as (partition by file_id, rank order by line_no)
    ),
    falls as (
        select *, sum(grew) over (partition by file_id, rank order by line_no) as since from fall
    ),
    halvings as (
        select
            file_id,
            rank,
            since,
            count(distinct value) - 1 as halvings,
            max(value) as highest,
            min(value) as lowest,
            min(time) as began,
            arg_min(line_no, line_no) as first_line,
            max(line_no) as last_line,
            min(nullif(step, -1)) filter (value < 4096) as step
        from falls
        group by all
    ),
    collapse as (
        -- Ends at 2 or below after at least six halvings in a row, and no loss worth the name
        -- follows.
        select h.*
        from halvings h
        where
            halvings >= 6
            and lowest <= 2
            -- Some print the way down only: where it stands higher later it went up again between.
            and not exists (
                from fall f
                where f.file_id = h.file_id and f.line_no > h.last_line and f.value > 2 * h.lowest
            )
            and (
                select count(*)
                from metric m
                where
                    m.file_id = h.file_id
                    and m.line_no > h.last_line
                    and m.canonical = 'loss'
                    and isfinite(m.value)
            )
            < 20
    ),
    fatal as (
        select *
        from training_event
        where kind = 'scale_minimum'
        order by time nulls last, file_id, line_no
        limit 1
    ),
    said as (
        -- Programs that check say what they found, and stop at it. Where nothing of it was
        -- printed as a value, that is all there is.
        select
            file_id,
            line_no,
            time,
            rank,
            host,
            message,
            coalesce(
                step,
                (
                    select max(m.step)
                    from metric m
                    where m.canonical = 'loss' and m.file_id = e.file_id and m.line_no < e.line_no
                )
            ) as step
        from training_event e
        where
            kind = 'nan_found'
            and regexp_matches(
                message,
                'Unexpected result|in local (forward loss|grad norm)|, stopping|loss .*contains a NaN|The loss returned in'
            )
        order by step nulls last, time nulls last, rank nulls last, file_id, line_no
        limit 1
    ),
    scale as (
        select
            coalesce(f.file_id, c.file_id) as file_id,
            f.line_no as fatal_line,
            c.first_line,
            c.last_line,
            coalesce(f.time, c.began) as at,
            c.step,
            c.highest,
            c.lowest,
            c.halvings,
            f.message
        from (select * from fatal) f
        full join (select * from collapse order by last_line limit 1) c on true
    )
select
    case
        when b.series_id is not null
        then
            'The '
            || b.name
            || case when b.series_rank is not null then ' of rank ' || b.series_rank else '' end
            || ' is not a number from step '
            || plain(b.start_step)
            || case
                when b.end_step is null then ' to the end' else ' to step ' || plain(b.end_step)
            end
            || case
                when b.before_step is null
                then ', none of its values is'
                else
                    ' (last finite: ' || plain(b.base) || ' at step ' || plain(b.before_step) || ')'
            end
            || counted_note(b.stepless, b.file_id, b.line_no)
            || case
                when s.lowest is null
                then ''
                else '; the loss scale fell from ' || plain(s.highest) || ' to ' || plain(s.lowest)
            end
        when s.file_id is null
        then
            'The program stopped'
            || coalesce(' at step ' || plain(n.step), '')
            || ': '
            || coalesce('rank ' || n.rank || ' ', 'it ')
            || 'found what is not a number ('
            || left(n.message, 120)
            || ')'
        else
            'The loss scale collapsed' || case
                when s.lowest is null
                then ''
                else ' from ' || plain(s.highest) || ' to ' || plain(s.lowest)
            end
            || ': every step overflows'
            || case when s.message is not null then ', and the trainer gave up' else '' end
    end as summary,
    [
        line_at(b.before_file, b.before_line),
        line_at(b.file_id, b.line_no),
        line_at(b.last_file, b.last_line),
        line_at(s.file_id, s.first_line),
        line_at(s.file_id, s.last_line),
        line_at(s.file_id, s.fatal_line),
        line_at(n.file_id, n.line_no)
    ] as evidence,
    coalesce(to_timestamp(b.start_seconds)::timestamp, s.at, n.time) as at,
    coalesce(
        (
            select list(distinct m.rank)
            from metric m
            where
                m.canonical = b.canonical
                and m.rank is not null
                and not isfinite(m.value)
                and m.step = b.start_step
        ),
        case when n.rank is not null then [n.rank] end
    ) as ranks,
    case when n.host is not null then [n.host] end as hosts,
    coalesce(b.start_step, s.step, n.step) as step,
    b.start_step as nan_step,
    b.before_step as last_finite_step,
    b.base as last_finite_value,
    b.name as metric,
    s.halvings as loss_scale_halvings,
    s.lowest as loss_scale
from (select * from first) b
full join scale s on true
full join said n on true
