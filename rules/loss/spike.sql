/*
title = "Loss spike"
severity = "warning"
confidence = "definite"
status = "stable"
explains = ["loss.nan", "loss.rollback"]
explains_after = ["loss.nan"]
lasting = true
about = """
The training loss jumped far above its own noise and stayed there for several points: it came back
at once (fast), after long (slow), or not at all (unrecovered). Single hard batches are not meant; a
wobble of less than 15 % that is over at once (of less than 40 % between epochs, where the loss then
falls lower than before), jumps that come in even distances, and a part of the loss that is switched
on, are remarks. Also a norm of the gradients that is a thousand times the usual one where the log
ends.
"""
false_positives = """
The objective or the data was changed on purpose and the log does not mention it; one data set or
task that is rare in the batches; a log that shows one batch of one rank.
"""
references = [
  "https://arxiv.org/abs/2204.02311",
  "https://arxiv.org/abs/2309.14322",
  "https://github.com/bigscience-workshop/bigscience/blob/master/train/tr11-176B-ml/chronicles.md",
]
summary = '''
{% if alone and not rose_with_it %}Only{% else %}The{% endif %} {{ metric }} jumped
from {% if of_values %}at most{% else %}about{% endif %} {{ base }} to {{ peak }}
at {{ unit or 'step' }} {{ step }}
{%- if at_the_end %}, where the log ends
{%- elif class == 'unrecovered' %} and never came back (now about {{ level_after }})
{%- else %} and was back at {{ unit or 'step' }} {{ recovered_step }} ({{ class }}
{%- if old_level_step and old_level_step > step + 1.5 * (recovered_step - step) -%}
; at the old level at {{ unit or 'step' }} {{ old_level_step }}{% endif %}){% endif %}
{%- if of_validation %}; the loss of the training did not{% endif %}
{%- if loss_is_calm %}; the loss is as before{% endif %}
{%- if same_in %}; so did {{ same_in | names }}{% endif %}
{%- if rose_with_it %}; {{ rose_with_it | names }} rose with it{% endif %}
{%- if unmoved and (alone or rose_with_it) %}{{ ', ' if rose_with_it else '; ' }}
{{- unmoved | names }} did not{% endif %}
{%- if switched_on %}; {{ switched_on | names }} {{ switched_on | agree('was', 'were') }} zero until
then{% endif %}
{%- if grad_precursor_step and grad_precursor_step < step -%}
; the gradient norm ran ahead at {{ unit or 'step' }} {{ grad_precursor_step }}{% endif %}
{%- if rolled_back %}; training went back to before it later{% endif %}
{%- if change %}; the log reports a change there: {{ change | cut }}{% endif %}
{%- if rhythm_steps %}; such jumps come about every {{ rhythm_steps }} steps{% endif %}
{%- if stepless %}; no step is printed, values are counted
{%- if epoch is not none %}: this is epoch {{ epoch }}{% endif %}{% endif %}'''

[[step]]
when = "switched_on"
say = '''Check that {{ switched_on | names }} was meant to begin at {{ unit or 'step' }} {{ step }}:
the jump is that part of the loss, not a training that got worse.'''

[[step]]
when = "alone"
say = '''Look at what is behind {{ metric }} from {{ unit or 'step' }} {{ step }}
{%- if recovered_step %} to {{ recovered_step }}{% endif %}: its data set, shard or task, and its
weight.'''

[[step]]
when = "of_validation"
say = '''Evaluate the last checkpoint from before {{ unit or 'step' }} {{ step }} and the one after
it on the same data. If both are well, the evaluation differs: its data, the mode of the model
(dropout, statistics of batch normalization), averaged weights, precision. If the later one is
worse, go back to the earlier one.'''

[[step]]
when = "change and not switched_on"
say = '''Compare the jump with the change that the log reports there: if it was meant, nothing
is wrong as long as the loss comes back.'''

[[step]]
when = "of_gradient"
say = '''Look at the data of step {{ step }} and at whether the gradients are clipped: a clipped
step of this kind does no harm, one that is not may have broken the weights. Keep the checkpoint
from before it, and see whether the next values are as before.'''

[[step]]
when = "of_values"
say = '''Look at the estimates of the values since step {{ step }}: clip or scale rewards and
targets, lower the learning rate, let the target network follow more slowly, and go back to weights
from before the jump. A few more values tell whether it comes back by itself.'''

[[step]]
when = '''class == 'unrecovered' and not alone and not stepless and not rolled_back
  and not of_values and not of_validation and not of_gradient'''
say = '''{% set is_coarse = step <= 100 or unit or (log_interval or 0) >= 100 %}
Restart from {% if checkpoint_step is not none %}the checkpoint of step {{ checkpoint_step }}
{%- elif is_coarse %}a checkpoint from well before {{ unit or 'step' }} {{ step }}
{%- else %}the last checkpoint at least 100 steps before {{ unit or 'step' }} {{ step }}{% endif %};
skip the
{% if is_coarse %}data around that {{ unit or 'step' }}{% else %}200-500 batches around step
{{ step }}{% endif %}, or lower the learning rate.'''

[[step]]
when = '''class == 'unrecovered' and not alone and (stepless or rolled_back)
  and not of_values and not of_validation and not of_gradient'''
say = '''Restart from a checkpoint before the jump{% if rolled_back %}, if that was not done
already{% endif %}; skip the 200-500 batches around it, or lower the learning rate.'''

[[step]]
when = "class == 'slow' and not alone and not switched_on and not change"
say = '''Leave it running if the loss keeps coming down: it was back at {{ unit or 'step' }}
{{ recovered_step }}. Lower the learning rate or clip gradients harder if such a jump comes
again.'''

[[step]]
when = "of_evaluation"
say = '''Evaluate the weights of {{ unit or 'step' }} {{ step }} again. A mean over the whole
validation that is a hundred times as high is no hard batch: look at the statistics of batch
normalization, at averaged weights, and at single samples whose loss has no bound.'''

[[step]]
when = """class == 'fast' and not alone and not switched_on and not change
  and not of_evaluation"""
say = '''Do nothing for a single one: it was over at {{ unit or 'step' }} {{ recovered_step }}. If
they repeat, look at gradient clipping and at the data of these steps.'''

[[step]]
when = "grad_precursor_step and grad_precursor_step < step and class != 'unrecovered'"
say = '''Look at the {{ 'data' if unit else 'batch' }} of {{ unit or 'step' }}
{{ grad_precursor_step }}, where the gradient norm rose first, before that of {{ unit or 'step' }}
{{ step }}.'''
*/
select
    [
        line_at(j.before_file, j.before_line),
        line_at(j.file_id, j.line_no),
        line_at(j.peak_file, j.peak_line),
        line_at(j.end_file, j.end_line),
        g.evidence,
        case when j.change is not null then line_at(j.change.file_id, j.change.line_no) end
    ]
    || j.elsewhere as evidence,
    case
        when
            j.class in ('slow', 'unrecovered')
            and j.change is not null
            or j.class = 'unrecovered'
            and j.is_due
            or len(c.begun) > 0
            or j.rhythm_steps is not null
            and (j.class = 'fast' or j.class = 'slow' and j.height < 0.15)
            or j.class = 'fast'
            and (j.points <= 10 or j.end_step - j.start_step <= 0.01 * j.planned)
            and j.height < 0.15
            -- the mean of an epoch, not half as high again, and lower than ever when it is over
            or j.class = 'fast'
            and n.unit = 'epoch'
            and j.height < 0.4
            and j.after < j.base
        then 'info'
        when j.class = 'unrecovered' and not j.alone
        then 'critical'
    end as severity,
    case
        when j.kind = 'lone' or j.sigmas < 8 or j.alone or j.series_points < 25 or j.stepless
        then 'probable'
    end as confidence,
    to_timestamp(j.start_seconds)::timestamp as at,
    j.of_ranks as ranks,
    j.start_step as step,
    j.start_step as spike_step,
    j.peak_step,
    j.peak,
    j.base,
    j.class,
    j.class as spike_class,
    j.end_step as recovered_step,
    j.level_step as old_level_step,
    g.step as grad_precursor_step,
    -- The causes of a spike lie before it: PaLM went back about 100 steps.
    case
        when j.class = 'unrecovered' and not j.stepless and n.unit is null
        then saved_up_to(j.start_step - 100)
    end as checkpoint_step,
    j.name as metric,
    nullif(list_filter(j.names, lambda n:n <> j.name), []) as same_in,
    round(j.sigmas, 1) as height_sigmas,
    j.interval as log_interval,
    j.after as level_after,
    nullif(list_filter(c.rose, lambda n:n not in j.names), []) as rose_with_it,
    c.calm as unmoved,
    nullif(c.begun, []) as switched_on,
    case when j.series_points < 25 then true end as few_points,
    case when j.class = 'unrecovered' and (j.points = 1 or j.is_due) then true end as at_the_end,
    case when j.alone then true end as alone,
    j.rhythm_steps,
    case when j.branch = 'dead' then true end as rolled_back,
    j.change.what as change,
    case when j.stepless then true end as stepless,
    n.unit,
    case when j.stepless then epoch_at(j.file_id, j.line_no) end as epoch
from loss_jump j
left join component_echo c using (series_id, run, start_step)
left join gradient_precursor g using (series_id, run, start_step)
left join counted_in_epochs n using (series_id)
-- A single point, however long it stands for, is a hard batch unless it is a mean, a change there
-- is told, or no batch is that hard.
where
    (
        j.kind = 'rise'
        or j.kind = 'lone'
        and (j.change is not null or j.averaged)
        or j.beyond_a_batch
    )
    and j.boundary_step is null
    and not (j.class = 'unrecovered' and coalesce(j.validation_falls, false))
    -- printed as zero: its steps are those of the digits
    and not (j.base = 0 and j.peak < 1)
    and not (j.worn_off and j.class <> 'unrecovered')
union all by name
select
    [line_at(file_id, line_no), last_evidence] as evidence,
    'warning' as severity,
    'possible' as confidence,
    time as "at",
    case when series_rank is not null then [series_rank] end as ranks,
    step,
    step as spike_step,
    peak,
    high as base,
    'unrecovered' as class,
    'unrecovered' as spike_class,
    name as metric,
    after as level_after,
    rose as rose_with_it,
    true as few_points,
    true as of_values,
    case when stepless then true end as stepless
from value_blowup
qualify row_number() over (order by step nulls last, series_id) = 1
union all by name
select
    [line_at(before_file, before_line), line_at(file_id, line_no), last_evidence] as evidence,
    'warning' as severity,
    if(after >= 3, 'probable', 'possible') as confidence,
    time as "at",
    case when series_rank is not null then [series_rank] end as ranks,
    step,
    step as spike_step,
    peak,
    before as base,
    'unrecovered' as class,
    'unrecovered' as spike_class,
    name as metric,
    level as level_after,
    case when after = 1 then true end as at_the_end,
    true as of_validation,
    e.unit
from validation_jump
left join counted_in_epochs e using (series_id)
qualify row_number() over (order by step nulls last, series_id) = 1
union all by name
select
    [line_at(file_id, before_line), line_at(file_id, line_no)] as evidence,
    'warning' as severity,
    'possible' as confidence,
    time as "at",
    case when series_rank is not null then [series_rank] end as ranks,
    step,
    step as spike_step,
    peak,
    base,
    'unrecovered' as class,
    'unrecovered' as spike_class,
    name as metric,
    true as at_the_end,
    true as few_points,
    true as of_gradient,
    case when loss_is_calm then true end as loss_is_calm,
    case when stepless then true end as stepless
from gradient_burst
where not exists (from loss_jump) and not exists (from nonfinite_loss)
qualify row_number() over (order by step nulls last, series_id) = 1
union all by name
select
    [
        line_at(file_id, before_line), line_at(file_id, line_no), line_at(file_id, end_line)
    ] as evidence,
    'probable' as confidence,
    time as "at",
    case when series_rank is not null then [series_rank] end as ranks,
    coalesce(step, place) as step,
    coalesce(step, place) as spike_step,
    value as peak,
    base,
    'fast' as class,
    'fast' as spike_class,
    coalesce(end_step, place + 1) as recovered_step,
    name as metric,
    after as level_after,
    true as few_points,
    case when canonical = 'validation_loss' then true end as of_evaluation,
    case when stepless then true end as stepless,
    e.unit
from lone_burst
left join counted_in_epochs e using (series_id)
where series_id not in (select series_id from loss_jump)
qualify row_number() over (order by canonical, points desc, series_id) = 1
