/*
title = "The loss moved to a higher level"
severity = "warning"
confidence = "probable"
status = "stable"
explains = ["loss.rollback"]
lasting = true
about = """
The training loss stepped up to a new level and stays there, without a peak: other data, another
setting, or a part of the model that broke. Or it stands still high up, the same to the digit in
every value: one network of a game is sure of all that it sees, and wrong, and nobody learns.
"""
false_positives = "A planned change of data or objective that the log does not mention."
references = ["https://arxiv.org/abs/2407.21783"]

[[summary]]
when = "standing_still"
say = '''The {{ metric }} stands still
{%- if base is none %}: all {{ standing_still | count('value') }} are{% else %} from
{{ unit or 'step' }} {{ step }}
on: {{ standing_still | count('value') }} to the end are all{% endif %}
{{ '%.7g' | format(level_after) }}{% if base is not none %} (usual before: {{ base }}){% endif %}
{%- if clip_of %}; this is {{ clip_of }}{% endif %}'''

[[summary]]
say = '''
The {{ metric }} stepped up from about {{ base }} to about {{ level_after }} at {{ unit or 'step' }}
{{ step }} and
stays there
{%- if change %}; the log reports a change there: {{ change | cut }}{% endif %}
{%- if rhythm_steps %}; it jumps so about every {{ rhythm_steps }} steps{% endif %}
{%- if stepless %}; no step is printed, values are counted
{%- if epoch is not none %}: this is epoch {{ epoch }}{% endif %}{% endif %}'''

[[step]]
when = "standing_still"
say = '''Stop it: no gradient is left that could change this. {% if base is none %}Begin
again{% else %}Go back to a checkpoint before {{ unit or 'step' }} {{ step }}{% endif %}, and keep
the networks in balance: a lower learning rate for the one that wins, smoothed labels, a loss on
logits, or a gradient penalty.'''

[[step]]
when = "severity == 'info'"
say = '''Check that the new level was expected: {% if change %}the log reports a change
there{% elif rhythm_steps %}it comes again and again, as an epoch or a shard of the data does{% else
%}the validation loss goes on falling{% endif %}.'''

[[step]]
when = "severity != 'info' and not standing_still"
say = '''Find out what changed {% if not stepless %}at {{ unit or 'step' }}
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
    case when e.unit is null then saved_up_to(j.start_step) end as checkpoint_step,
    j.name as metric,
    j.interval as log_interval,
    round(j.sigmas, 1) as height_sigmas,
    j.change.what as change,
    j.rhythm_steps,
    case when j.stepless then true end as stepless,
    e.unit,
    case when j.stepless then epoch_at(j.file_id, j.line_no) end as epoch
from loss_jump j
left join counted_in_epochs e using (series_id)
where j.kind = 'shift' and j.boundary_step is null
union all by name
select
    [
        line_at(before_file, before_line), line_at(file_id, line_no), line_at(last_file, last_line)
    ] as evidence,
    'critical' as severity,
    case when not after_noise then 'possible' end as confidence,
    time as "at",
    case when series_rank is not null then [series_rank] end as ranks,
    start_step as step,
    base,
    value as level_after,
    name as metric,
    points as standing_still,
    clip_of,
    case when stepless then true end as stepless,
    e.unit
from frozen_loss f
left join counted_in_epochs e using (series_id)
where
    not is_nan
    and not exists (from loss_jump j where j.series_id = f.series_id and j.end_step is null)
qualify row_number() over (order by after_noise desc, points desc, series_id) = 1
