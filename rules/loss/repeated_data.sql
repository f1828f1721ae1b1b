/*
title = "Data is read again after a resume"
severity = "critical"
confidence = "probable"
status = "stable"
explains = [
  "loss.rollback",
  "loss.resume_spike",
  "loss.spike",
  "loss.plateau_shift",
  "loss.divergence",
]
lasting = true
about = """
After a restart the training loss is lower than its own trend and later jumps back up to that trend:
the data stream began anew, and the model saw what it had been trained on before.
"""
false_positives = """
The learning rate was lowered or the data made easier at the restart, and both taken back later.
"""
references = ["https://lightning.ai/docs/pytorch/stable/common/checkpointing_basic.html"]
summary = '''
{% set resumes = resume_steps or [resume_step or step] %}
After {{ resumes | agree('the resume at step', 'the resumes at steps') }} {{ resumes | names }} the
{{ metric }} was too low
{%- if jump_step is not none %} until it jumped back up to {{ level_after }} at step
{{ jump_step }}: the data was read again from the start
{%- else %}: the data may be read again from the start{% endif %}'''

[[step]]
say = '''Save the state of the data loader and the sampler with the checkpoint and restore it
(epoch and position, the seed of the shuffle, the RNG state of each rank and worker), or skip the
batches that were consumed already.'''

[[step]]
when = "jump_step is not none"
say = '''Go back to the checkpoint of step {{ resume_step }} once that is done: what was trained
from there to step {{ jump_step }} was trained on data that the model had seen.'''

[[step]]
when = "jump_step is none"
say = '''Print the indices or a hash of the first batches after the resume and compare them with
those of the start: the low loss alone does not prove it.'''

[[step]]
when = "resume_steps and resume_steps | length > 1"
say = '''Check every resume: data was read again after each of the {{ resume_steps | length }}.
Without a restored state, give each restart another seed, so that it does not repeat the same
order.'''
*/
with
    dip as (
        select
            *,
            list_transform(
                string_split(boundary_steps, ','), lambda s:s::double::bigint
            ) as resume_steps,
            row_number() over (partition by family, run order by start_step) as nth
        from loss_excursion
        where
            kind = 'dip'
            and canonical = 'loss'
            and coalesce(driver_ratio, 1) > 0.7
            and branch = 'live'
            and not coalesce(validation_falls and end_step is null, false)
            -- Where a long stretch between is not there (another version's log, a log that was
            -- cut), the curve had time to fall by itself.
            and not coalesce(
                start_step - before_step > greatest(20 * "interval", 0.1 * start_step), false
            )
    ),
    resume_within_epoch as (
        select min(line_at(file_id, line_no)) as place
        from training_event
        where kind = 'midepoch_resume'
    )
select
    [
        line_at(d.before_file, d.before_line),
        line_at(d.file_id, d.line_no),
        line_at(d.end_file, d.end_line),
        w.place
    ] as evidence,
    case when d.end_step is null then 'possible' end as confidence,
    case when d.end_step is null and w.place is null then 'info' end as severity,
    to_timestamp(d.start_seconds)::timestamp as at,
    coalesce(d.end_step, d.start_step) as step,
    d.resume_steps,
    d.before_step as resume_step,
    d.end_step as jump_step,
    d.base,
    d.after as level_after,
    d.name as metric,
    d.interval as log_interval
from dip d
cross join resume_within_epoch w
where d.nth = 1
