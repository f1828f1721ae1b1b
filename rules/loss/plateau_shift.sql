/*
title = "The loss moved to a higher level"
severity = "warning"
confidence = "probable"
status = "stable"
explains = ["loss.rollback"]
lasting = true
about = """
The training loss stepped up to a new level and stays there, without a peak: other data, another
setting, or a part of the model that broke.
"""
false_positives = "A planned change of data or objective that the log does not mention."
references = ["https://arxiv.org/abs/2407.21783"]
summary = '''
The {{ metric }} stepped up from about {{ base }} to about {{ level_after }} at step {{ step }} and
stays there
{%- if change %}; the log reports a change there: {{ change | cut }}{% endif %}
{%- if rhythm_steps %}; it jumps so about every {{ rhythm_steps }} steps{% endif %}
{%- if stepless %}; no step is printed, values are counted
{%- if epoch is not none %}: this is epoch {{ epoch }}{% endif %}{% endif %}'''

[[step]]
when = "severity == 'info'"
say = '''Check that the new level was expected: {% if change %}the log reports a change
there{% elif rhythm_steps %}it comes again and again, as an epoch or a shard of the data does{% else
%}the validation loss goes on falling{% endif %}.'''

[[step]]
when = "severity != 'info'"
say = '''Find out what changed {% if not stepless %}at step
{{ step }}{% else %}there{% endif %}: data set or shard, batch size, sequence length, a restart
on other machines. Compare the validation loss: if it did not move, the training data changed; if
it did, a part of the model broke.'''

[[step]]
when = "severity != 'info' and checkpoint_step is not none"
say = '''Run on from the checkpoint of step {{ checkpoint_step }} with the same data: if the
level stays down this time, it was the machine.'''
*/
select
    [
        line_at(j.before_file, j.before_line),
        line_at(j.file_id, j.line_no),
        line_at(j.last_file, j.last_line)
    ]
    || j.elsewhere as evidence,
    case
        when
            j.change is not null
            or coalesce(j.validation_falls, false)
            -- as each time at the start of an epoch
            or j.rhythm_steps is not null
            and j.height < 0.3
        then 'info'
    end as severity,
    to_timestamp(j.start_seconds)::timestamp as at,
    j.of_ranks as ranks,
    j.start_step as step,
    j.base,
    j.after as level_after,
    saved_up_to(j.start_step) as checkpoint_step,
    j.name as metric,
    j.interval as log_interval,
    round(j.sigmas, 1) as height_sigmas,
    j.change.what as change,
    j.rhythm_steps,
    case when j.stepless then true end as stepless,
    case when j.stepless then epoch_at(j.file_id, j.line_no) end as epoch
from loss_jump j
where j.kind = 'shift' and j.boundary_step is null
