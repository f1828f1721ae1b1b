/*
title = "Data is read again after a resume"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["loss.rollback", "loss.resume_spike", "loss.spike", "loss.plateau_shift", "loss.divergence"]
about = "After a restart the training loss is lower than its own trend and later jumps back up to that trend: the data stream began anew, and the model saw what it knew."
remedy = "Restore the state of the data loader and sampler with the checkpoint, or skip the batches consumed. Go back to the checkpoint of the resume: what was trained since has seen its data twice."
false_positives = "The learning rate was lowered or the data made easier at the restart and both taken back later."
references = ["https://lightning.ai/docs/pytorch/stable/common/checkpointing_basic.html"]
*/
with
    dip as (
        select e.*, row_number() over (partition by e.family, e.run order by e.start_step) as nth
        from loss_excursion e
        where
            e.kind = 'dip'
            and e.canonical = 'loss'
            and coalesce(e.driver_ratio, 1) > 0.7
            and e.branch = 'live'
            and not coalesce(e.validation_falls and e.end_step is null, false)
            -- Where a long stretch between is not there (another version's log, a log that was
            -- cut), the curve had time to fall by itself.
            and not coalesce(
                e.start_step - e.before_step > greatest(20 * e.interval, 0.1 * e.start_step), false
            )
    ),
    midway as (select file_id, line_no from training_event where kind = 'midepoch_resume')
select
    'After the resume at step '
    || coalesce(replace(d.boundary_steps, ',', ' and '), plain(d.start_step))
    || ' the '
    || d.name
    || ' is falsely low'
    || coalesce(
        ', and at step '
        || plain(d.end_step)
        || ' it jumps back up to '
        || plain(d.after)
        || ': the data was read again from the start',
        ': the data may be read again from the start'
    ) as summary,
    [
        line_at(d.before_file, d.before_line),
        line_at(d.file_id, d.line_no),
        line_at(d.end_file, d.end_line),
        (select min(line_at(file_id, line_no)) from midway)
    ] as evidence,
    case when d.end_step is null then 'possible' end as confidence,
    case when d.end_step is null and not exists (from midway) then 'info' end as severity,
    to_timestamp(d.start_seconds)::timestamp as at,
    coalesce(d.end_step, d.start_step) as step,
    list_transform(string_split(d.boundary_steps, ','), lambda s:s::double::bigint) as resume_steps,
    d.before_step as resume_step,
    d.end_step as jump_step,
    d.base,
    d.after as level_after,
    d.name as metric,
    d.interval as log_interval
from dip d
where d.nth = 1
