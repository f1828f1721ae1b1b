/*
title = "The loss diverges"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["loss.nan", "loss.rollback"]
explains_after = ["loss.nan"]
about = """
The training loss creeps up for good, without a spike, to the end of the log, or it grows without
bound: below zero, or the loss of a policy or a critic beyond all measure. Or it is beyond all
measure from its first value to its last.
"""
false_positives = """
The objective or the mixture of data changes as planned and the log does not mention it; the
learning rate is raised again.
"""
references = ["https://arxiv.org/abs/2309.14322"]
[[summary]]
when = "below_zero"
say = '''
The {{ metric }} grows below zero without bound: from about {{ base }} to about {{ level_after }}
{%- if from_step is not none %}, from {{ unit or 'step' }} {{ from_step }} on{% endif %}'''

[[summary]]
when = "absurd"
say = '''
The {{ metric }} has no sensible size from its first value on: about {{ '%.1e' | format(base) }},
{{ '%.1e' | format(level_after) }} at the end; the model has learnt nothing'''

[[summary]]
when = "runs_away"
say = '''
The {{ metric }} grows without bound: from about
{% if level_after >= 1e9 %}{{ '%.2g' | format(base) }} to about {{ '%.2g' | format(level_after) }}
{%- else %}{{ base }} to about {{ level_after }}{% endif %}
{%- if from_step is not none %}, from {{ unit or 'step' }} {{ from_step }} on{% endif %}
{%- if validation_rose %}; that of the validation does so too{% endif %}'''

[[summary]]
say = '''
The {{ metric }} creeps up from about {{ base }} at {{ unit or 'step' }} {{ from_step }} to about
{{ level_after }}
at {{ unit or 'step' }} {{ last_step }}
{%- if rolled_back %}; training went back to before it later{% endif %}
{%- if again_from_steps %}; after going back it did so again from
{{ unit or 'step' }}{{ again_from_steps | agree('', 's') }} {{ again_from_steps | names }}
{%- endif %}
{%- if stepless %}; no step is printed, values are counted
{%- if epoch is not none %}: this is epoch {{ epoch }}{% endif %}{% endif %}'''

[[step]]
when = "below_zero"
say = '''Find the term of the loss that has no lower bound: a likelihood whose variance may
shrink to nothing, a goal to be made larger without a limit, a sign the wrong way round. Bound it (a
floor for the logarithm of the scale, a clip) and start from a checkpoint before
{%- if from_step is not none %} {{ unit or 'step' }} {{ from_step }}{% else %} that{% endif %}.'''

[[step]]
when = "of_gradient"
say = '''Stop it: with such gradients the weights are noise soon, or are already, whatever the loss
says. Clip the gradients, lower the learning rate, and look at what multiplies them: a filter or a
momentum of one's own, a scale that is never taken off again.'''

[[step]]
when = "absurd"
say = '''Stop it and print what the loss is made of for one batch: the range of inputs, targets and
outputs, and how many values it sums. Scale the data, take the mean instead of the sum, and look at
how the weights begin; a model that works begins near the loss of a guess.'''

[[step]]
when = "validation_rose"
say = '''Stop it and go back to a checkpoint before {{ unit or 'step' }} {{ from_step }}: training
and validation broke together, so it is the weights and no hard batch. Lower the learning rate,
above all that of parts that were trained before, and clip the gradients.'''

[[step]]
when = "runs_away and not of_gradient and not validation_rose"
say = '''Lower the learning rate and clip the gradients; where it learns from rewards or targets,
scale or clip these too, and let the target network follow more slowly. Start from a checkpoint
before
{%- if from_step is not none %} {{ unit or 'step' }} {{ from_step }}{% else %} that{% endif %}.'''

[[step]]
when = "severity == 'info'"
say = '''Check that the rise fits what the log reports there:
{% if change %}{{ change | cut }}{% else %}validation goes on falling{% endif %}.'''

[[step]]
when = "few_points and severity != 'info'"
say = '''Watch it for some more steps before acting: {{ points }} points are few.'''

[[step]]
when = "early and severity != 'info' and not below_zero and not runs_away and not absurd"
say = '''Look at how the training begins: initialization, the norm of the embeddings, learning
rate and warm-up, epsilon of the optimizer, and the first data it sees.'''

[[step]]
when = "again_from_steps and severity != 'info'"
say = '''Change something before the next restart: going back alone did not help. Another seed or a
skipped stretch of data tells whether it is the data, a lower rate whether it is the recipe.'''

[[step]]
when = """not early and severity != 'info' and not stepless and not below_zero
  and not runs_away and not absurd"""
say = '''Go back to a checkpoint before {{ unit or 'step' }} {{ from_step }}
{%- if checkpoint_step is not none %} (one was saved at step {{ checkpoint_step }}){% endif %}
and lower the learning rate. Find out what changed there: data, rate, a restart that did not load
the optimizer.'''

[[step]]
when = """not early and severity != 'info' and stepless and not below_zero
  and not runs_away and not absurd"""
say = '''Go back to a checkpoint before the rise and lower the learning rate. Find out what
changed there: data, rate, a restart that did not load the optimizer.'''

[[step]]
when = "severity != 'info'"
say = '''Compare the gradient norm, the norm of the weights and the largest attention logits
before and after: they show which part runs away.'''
*/
with
    rise as (
        select *, coalesce(before_step, start_step) as from_step
        from loss_jump
        where
            kind = 'trend'
            and (series_id, run, start_step)
            not in (select (series_id, run, start_step) from restart_level)
    ),
    -- the course of the curve before it, in fiftieths of all points
    course as (
        select
            r.series_id,
            r.from_step,
            r.after - r.base as height,
            p.part,
            median(p.value) as level,
            max(p.value) as top,
            max(p.step) as last_step
        from rise as r
        join
            (
                select *, ntile(50) over (partition by series_id order by ordinal) as part
                from series_point
                where isfinite(value)
            ) as p using (series_id)
        group by r.series_id, r.from_step, r.after, r.base, p.part
    ),
    swing as (
        select
            *,
            level - min(level) over earlier as climbed,
            level - min(level) over later as fell,
            level = max(level) over around as is_top
        from course
        window
            earlier as (
                partition by series_id, from_step
                order by part
                rows between 10 preceding and current row
            ),
            later as (
                partition by series_id, from_step
                order by part
                rows between current row and 10 following
            ),
            around as (
                partition by series_id, from_step
                order by part
                rows between 5 preceding and 5 following
            )
    ),
    -- the last of its points: three, or a thirtieth of them
    ending as (
        select series_id, median(value) as level
        from
            (
                select
                    series_id,
                    value,
                    row_number() over (partition by series_id order by ordinal desc) as from_end,
                    count(*) over (partition by series_id) as points
                from series_point
                where isfinite(value) and series_id in (select series_id from rise)
            )
        where from_end <= greatest(3, points / 30)
        group by series_id
    ),
    -- A curve that went up as far and came back twice does so as its schedule lets it; one that
    -- rose from its beginning on was given harder tasks.
    trend as (
        select
            *,
            -- next to nothing of the loss is left, and it is not twice that
            r.after < 2 * r.base
            and exists (
                from course as c
                where
                    c.series_id = r.series_id
                    and c.from_step = r.from_step
                    and c.part = 1
                    and r.after < 0.08 * c.top
            ) as is_worn_off
        from rise as r
        where
            -- a divergence that weighs more and more in the sum, and falls by it
            not exists (
                select 1
                from
                    (
                        select m.value, ntile(3) over (order by m.line_no) as part
                        from metric as m
                        where
                            m.file_id = r.file_id
                            and regexp_matches(
                                m.name, '(?i)(?:^|[ _/-])kld?(?:[ _-]?(?:div|loss|term)[a-z]*)?$'
                            )
                            and isfinite(m.value)
                    )
                having
                    median(value) filter (part = 3) < 0.7 * median(value) filter (part = 1)
                    and median(value) filter (part = 3) > 0.01 * r.after
            )
            -- it comes down again
            and not exists (
                from ending as e
                where e.series_id = r.series_id and e.level < (r.base + r.after) / 2
            )
            and not exists (
                from course as c
                where
                    c.series_id = r.series_id
                    and c.from_step = r.from_step
                    and c.part = 1
                    and c.level > 0
                    and r.base > 2 * c.level
            )
            and (
                select count(*)
                from swing as s
                where
                    s.series_id = r.series_id
                    and s.from_step = r.from_step
                    and s.last_step < r.from_step
                    and s.is_top
                    and s.climbed > 0.6 * s.height
                    and s.fell > 0.6 * s.height
            )
            < 2
    ),
    -- Attempts that go back and diverge again are one incident: the first one speaks.
    attempt as (
        select
            *,
            list(from_step) over attempts as attempt_steps,
            list(line_at(file_id, line_no)) over attempts as attempt_lines,
            bool_and(branch = 'dead') over (partition by series_id, run) as left_behind
        from trend
        window
            attempts as (
                partition by series_id, run
                order by branch = 'live', file_id, line_no
                rows between unbounded preceding and unbounded following
            )
        qualify
            row_number() over (
                partition by series_id, run order by branch = 'live', file_id, line_no
            )
            = 1
    )
select
    [
        line_at(j.before_file, j.before_line),
        line_at(j.file_id, j.line_no),
        line_at(j.peak_file, j.peak_line),
        line_at(j.last_file, j.last_line)
    ]
    || j.attempt_lines[2:] as evidence,
    case when j.series_points < 25 then 'possible' end as confidence,
    case
        when j.change is not null or j.is_worn_off or coalesce(j.validation_falls, false)
        then 'info'
        when j.series_points < 25
        then 'warning'
    end as severity,
    to_timestamp(j.start_seconds)::timestamp as at,
    j.of_ranks as ranks,
    j.start_step as step,
    j.from_step,
    j.last_step,
    j.base,
    j.after as level_after,
    l.lowest as min_loss,
    l.last as last_loss,
    l.points,
    l.points < 25 as few_points,
    -- in the first tenth of the training, as far as its length is known
    j.from_step < 0.1 * greatest(coalesce(j.planned, 0), j.last_step) as early,
    case when e.unit is null then saved_up_to(j.from_step) end as checkpoint_step,
    j.name as metric,
    j.interval as log_interval,
    nullif(j.attempt_steps[2:], [])::bigint[] as again_from_steps,
    case when j.left_behind then true end as rolled_back,
    j.change.what as change,
    case when j.stepless then true end as stepless,
    e.unit,
    case when j.stepless then epoch_at(j.file_id, j.line_no) end as epoch,
    null::boolean as below_zero,
    null::boolean as absurd,
    null::boolean as runs_away,
    null::boolean as of_gradient,
    null::boolean as validation_rose
from attempt j
left join counted_in_epochs e using (series_id)
cross join
    lateral(
        select min(p.value) as lowest, arg_max(p.value, p.ordinal) as last, count(*) as points
        from series_point p
        where p.series_id = j.series_id and isfinite(p.value)
    ) l
union all by name
select
    [line_at(file_id, line_no), line_at(last_file, last_line)] as evidence,
    "time" as "at",
    case when series_rank is not null then [series_rank] end as ranks,
    case when last_step > from_step + 1 then from_step end as step,
    case when last_step > from_step + 1 then from_step end as from_step,
    last_step,
    base,
    level as level_after,
    lowest as min_loss,
    points,
    false as few_points,
    false as early,
    name as metric,
    case when below_zero then true end as below_zero,
    absurd,
    case
        when absurd and base < 1e25 or of_gradient and level < 1e6 then 'possible'
    end as confidence,
    -- it went on so for long, and ends no job
    case when absurd or of_gradient and level < 1e6 then 'warning' end as severity,
    case when not below_zero and absurd is null then true end as runs_away,
    case when of_gradient then true end as of_gradient,
    validation_rose,
    e.unit
from loss_runaway
left join counted_in_epochs e using (series_id)
-- a single step up is told as a spike
where
    below_zero
    or of_gradient
    or absurd
    or validation_rose
    or series_id not in (select series_id from loss_jump)
-- its parts and the curves of other ranks run with it
qualify
    row_number() over (
        order by below_zero desc, absurd nulls last, of_gradient, points desc, series_id
    )
    = 1
