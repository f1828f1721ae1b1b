/*
title = "The policy collapsed"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["loss.divergence", "loss.plateau_shift", "loss.spike"]
lasting = true
about = """
Reinforcement learning that broke down to the end of its log while its loss says nothing: the reward
lost what it had gained and stayed there, or it fell while the distance to the reference policy
(KL) ran away or the entropy died or exploded, or the entropy died within the first updates and the
reward never rose. Also a policy that never learned, as no answer was rewarded more than another; or
one that is carried off by the passes of the last update.
"""
false_positives = """
Tasks that become harder as planned, or another reward from some step on, and the log does not
mention it.
"""
references = [
  "https://huggingface.co/docs/trl/main/en/how_to_train",
  "https://arxiv.org/abs/2505.22617",
]

[[summary]]
when = "is_idle"
say = '''No answer is rewarded more than another of its group at any of the {{ points }} points: all
advantages are zero, and nothing is learned (reward: {{ last_reward }})'''

[[summary]]
when = "metric == 'reward'"
say = '''The reward collapsed at {{ unit or 'step' }} {{ step }}: from {{ best_reward }} to
{{ last_reward }}, most of what it had gained is lost
{%- if kl_ran_away %}; the KL divergence ran away to {{ last_kl }}{% endif %}
{%- if entropy_died %}; the entropy died ({{ first_entropy }} to {{ last_entropy }}){% endif %}
{%- if entropy_rose %}; the entropy exploded to {{ last_entropy }}{% endif %}
{%- if stepless %}; no step is printed, values are counted{% endif %}'''

[[summary]]
when = "of_passes"
say = '''The policy leaves itself behind within one update: over {{ points }} passes over the same
samples the KL divergence to the policy that gathered them goes from {{ kl_before }} to
{{ last_kl }}'''

[[summary]]
when = "metric == 'kl'"
say = '''The KL divergence {% if of_generation %}between the policy that is trained and the one
that generates{% else %}to the reference policy{% endif %} runs away from {{ unit or 'step' }}
{{ step }} on: from at most {{ kl_before }} to {{ last_kl }}; the reward went from
{{ best_reward }} to {{ last_reward }}
{%- if stepless %}; no step is printed, values are counted{% endif %}'''

[[summary]]
say = '''The entropy of the policy
{% if is_stillborn %}died within the first updates{% else %}{% if entropy_died %}died{% else -%}
exploded{% endif %} at {{ unit or 'step' }} {{ step }}{% endif %}
({{ first_entropy }} to {{ last_entropy }}); the reward
{% if best_reward == last_reward %}stayed at{% else %}went from {{ best_reward }} to{% endif %}
{{ last_reward }}
{%- if stepless %}; no step is printed, values are counted{% endif %}'''

[[step]]
when = "is_idle"
say = '''Read a few answers and what each part of the reward gives them: one that is cut off at the
longest length, or that the parser does not find, gets the same as all others. Then mix in prompts
that are sometimes solved, or raise the temperature or the number of answers of a group.'''

[[step]]
when = "not stepless and not is_stillborn and not is_idle and not of_passes"
say = '''Go back to a checkpoint before {{ unit or 'step' }} {{ best_step }}
{%- if checkpoint_step is not none %} (one was saved at step {{ checkpoint_step }}){% endif %}; what
was trained after it is lost.'''

[[step]]
when = "of_passes"
say = '''Lower the learning rate or make fewer passes over the samples, clip the gradient norm, and
leave the passes of an update once the divergence is above a limit (0.02 is usual). Look at the
scale of advantages and observations as well.'''

[[step]]
when = "kl_ran_away"
say = '''Lower the learning rate or raise the KL coefficient, clip the gradient norm, and compare
the log probabilities of the trainer with those of the engine that generates: where they differ, the
importance ratios blow up.'''

[[step]]
when = "entropy_died"
say = '''Keep the policy exploring: a higher sampling temperature, an entropy bonus, a higher upper
clip; leave out prompts that all samples solve or all fail.'''

[[step]]
when = "is_stillborn"
say = '''Start again, with advantages that are normalized, a smaller step or a bonus for entropy:
the first updates made the policy choose one action, and it never left that again.'''

[[step]]
when = "entropy_rose"
say = '''Look at what is generated since {{ unit or 'step' }} {{ step }}: endless or garbled answers
that are cut off at the longest length teach noise. Leave them out of the update, and lower the
learning rate.'''

[[step]]
otherwise = true
say = '''Read samples from before and after {{ unit or 'step' }} {{ step }}: a policy that cheats
its reward, or answers of one kind only, show it at once. Then look at the gradient norm, the clip
fraction and the length of the answers around it.'''
*/
select
    [
        line_at(best_file, best_line), line_at(file_id, first_line), line_at(last_file, last_line)
    ] as evidence,
    case
        -- few values tell little, and nothing of what ended the run
        when
            points < 25 or shown_by = 'reward' and not (kl_ran_away or entropy_died or entropy_rose)
        then 'possible'
    end as confidence,
    case
        when points >= 25
        then null
        -- a loss of reward ends no process
        when exists (from trouble_sign) or exists (from worker_gone)
        then 'info'
        else 'warning'
    end as severity,
    first_time as "at",
    case when rank is not null then [rank] end as ranks,
    first_step::bigint as step,
    shown_by as metric,
    name,
    best_step::bigint as best_step,
    case when unit is null then saved_up_to(best_step) end as checkpoint_step,
    round(best, 4) as best_reward,
    round(last_reward, 4) as last_reward,
    round(kl_before, 4) as kl_before,
    round(last_kl, 4) as last_kl,
    round(first_entropy, 4) as first_entropy,
    round(last_entropy, 4) as last_entropy,
    kl_ran_away,
    entropy_died,
    entropy_rose,
    case when regexp_matches(lower(name), 'gen(eration)?[_ ]kl') then true end as of_generation,
    case when is_stillborn then true end as is_stillborn,
    case when stepless then true end as stepless,
    unit,
    null::boolean as is_idle,
    null::bigint as points,
    null::boolean as of_passes
from policy_collapse
left join unit_of_file using (file_id)
qualify row_number() over (order by points desc, source) = 1
union all by name
select
    [line_at(file_id, first_line), line_at(file_id, last_line)] as evidence,
    'possible' as confidence,
    'warning' as severity,
    time as "at",
    case when rank is not null then [rank] end as ranks,
    'advantage' as metric,
    name,
    round(reward, 4) as last_reward,
    true as is_idle,
    points
from idle_reward
where source not in (select source from policy_collapse)
qualify row_number() over (order by points desc, source) = 1
union all by name
select
    [line_at(file_id, first_line), line_at(file_id, last_line)] as evidence,
    'possible' as confidence,
    'warning' as severity,
    time as "at",
    'kl' as metric,
    name,
    round(first_kl, 4) as kl_before,
    round(last_kl, 4) as last_kl,
    true as of_passes,
    points
from update_kl
where not exists (from policy_collapse)
