/*
title = "The loss jumps after a resume"
severity = "warning"
confidence = "probable"
status = "stable"
explains = ["loss.rollback"]
lasting = true
about = """
Right after a restart the training loss is above where it was: the restart did not bring everything
back (optimizer state, learning-rate schedule, loss scale, weights of one stage).
"""
false_positives = """
The restart was made with other data or a higher rate on purpose. One line of twice the level just
after a resume of Megatron core 0.17 is its own counting and not reported.
"""
references = ["https://github.com/NVIDIA/Megatron-LM/issues/6237"]
summary = '''
After the resume at {{ unit or 'step' }} {{ resume_step }} the {{ metric }} jumped from about
{{ base }} to {{ peak }}
{%- if recovered_step is none %} and never came back (now about {{ level_after }})
{%- else %} and was back at {{ unit or 'step' }} {{ recovered_step }}{% endif %}'''

[[step]]
say = '''Check in the log of the restart that everything was loaded, on all ranks: weights of
every stage, optimizer, learning-rate schedule, loss scale, and the state of the DataLoader, the
sampler and the random number generators. A setting such as --no-load-optim, --no-load-rng or
--finetune leaves them out.'''

[[step]]
say = '''Compare the learning rate and the gradient norm of the last step before and the first
step after: another rate means that the schedule began anew, the same rate with a larger norm
that the optimizer did.'''

[[step]]
when = "recovered_step is none"
say = '''Resume from the checkpoint of {{ unit or 'step' }} {{ resume_step }} again with all of it
loaded: what was trained since does not heal by itself.'''

[[step]]
when = "recovered_step is not none and class == 'slow'"
say = '''Resume from the checkpoint of {{ unit or 'step' }} {{ resume_step }} again once that is
repaired, if the {{ unit or 'step' }}s up to {{ recovered_step }} matter: that is how long the
training took to make up for it.'''
*/
select
    [
        line_at(j.before_file, j.before_line),
        line_at(j.boundary_file, j.boundary_line),
        line_at(j.file_id, j.line_no),
        line_at(j.peak_file, j.peak_line),
        line_at(j.end_file, j.end_line)
    ] as evidence,
    to_timestamp(j.start_seconds)::timestamp as at,
    j.of_ranks as ranks,
    coalesce(j.before_step, j.boundary_step) as step,
    coalesce(j.before_step, j.boundary_step) as resume_step,
    j.peak_step,
    j.peak,
    j.base,
    j.class,
    j.end_step as recovered_step,
    case when j.end_step is null then j.after end as level_after,
    j.name as metric,
    j.interval as log_interval,
    n.unit
from loss_jump j
left join counted_in_epochs n using (series_id)
where
    j.kind in ('rise', 'shift', 'lone')
    and j.boundary_step is not null
    and j.change is null
    and not (j.points <= 1 and j.peak between 1.8 * j.base and 2.2 * j.base)
union all by name
-- where it is a step for good, which a few points make look like a slow rise
select
    [line_at(r.file_id, r.before_line), line_at(r.file_id, r.restart_line)] as evidence,
    to_timestamp(j.start_seconds)::timestamp as at,
    j.of_ranks as ranks,
    r.before_step as step,
    r.before_step as resume_step,
    r.peak,
    r.base,
    'unrecovered' as class,
    r.level as level_after,
    j.name as metric,
    n.unit
from restart_level r
join loss_jump j using (series_id, run, start_step)
left join counted_in_epochs n using (series_id)
