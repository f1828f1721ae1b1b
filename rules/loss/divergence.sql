/*
title = "Loss diverges"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["loss.nan", "loss.rollback"]
about = "The training loss creeps up for good, without a spike, to the end of the log."
remedy = "Go back to a checkpoint before the minimum and lower the learning rate; check what changed there: data, rate, a restart that did not load the optimizer."
false_positives = "The objective or the data mixture changes by plan and the log does not say so; the learning rate is raised again."
references = ["https://arxiv.org/abs/2309.14322"]
*/
select
    'The '
    || j.name
    || ' creeps up from '
    || plain(j.base)
    || ' at step '
    || plain(coalesce(j.before_step, j.start_step))
    || ' to '
    || plain(j.after)
    || ' at step '
    || plain(j.last_step)
    || case when j.branch = 'dead' then '; training went back behind it later' else '' end
    || counted_note(j.stepless, j.file_id, j.line_no) as summary,
    [
        line_at(j.before_file, j.before_line),
        line_at(j.file_id, j.line_no),
        line_at(j.peak_file, j.peak_line),
        line_at(j.last_file, j.last_line)
    ] as evidence,
    case when j.series_points < 25 then 'possible' end as confidence,
    case
        when j.change is not null or coalesce(j.validation_falls, false)
        then 'info'
        when j.series_points < 25
        then 'warning'
    end as severity,
    to_timestamp(j.start_seconds)::timestamp as at,
    j.of_ranks as ranks,
    j.start_step as step,
    l.lowest as min_loss,
    l.last as last_loss,
    l.points,
    l.points < 25 as few_points,
    j.name as metric,
    j.interval as log_interval
from
    loss_jump j,
    lateral(
        select min(p.value) as lowest, arg_max(p.value, p.ordinal) as last, count(*) as points
        from series_point p
        where p.series_id = j.series_id and isfinite(p.value)
    ) l
where j.kind = 'trend'
