/*
title = "The loss became NaN"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["loss.rollback", "crash"]
about = """
The loss or the gradient norm became NaN or infinite and stayed so, or the loss scale collapsed
because every step overflowed.
"""
false_positives = """
A metric that the program prints as nan where it has none: a part of the loss for which there are
no samples.
"""
references = [
  "https://github.com/bigscience-workshop/bigscience/blob/master/train/tr8-104B-wide/chronicles.md",
  "https://pytorch.org/docs/stable/notes/amp_examples.html",
]

[[summary]]
when = "report_tensor and module"
say = '''{% if report_tensor.startswith('output') %}The output of {{ module }} ({{ module_class }})
is{% else %}{{ report_tensor | capital }} of {{ module }} ({{ module_class }}) is{% endif %}
the first that is {{ holds }}{% if batch is not none %}, in batch {{ batch }}{% endif %}
{%- if last_finite is not none %}; the greatest magnitude just before is {{ last_finite }}
{%- if near_fp16_limit %}, close to the limit of fp16 (65504){% endif %}{% endif %}'''

[[summary]]
when = "report_tensor"
say = "The first tensor that is {{ holds }} is {{ report_tensor }}"

[[summary]]
when = "of_validation and nan_times"
say = '''The {{ metric }} was {{ value }} in {{ nan_times }} of {{ of_times }} evaluations, for
example at {{ unit or 'step' }} {{ nan_step }}, and finite again after each; the loss of the
training is finite'''

[[summary]]
when = "of_validation"
say = '''The {{ metric }} {% if last_finite_step is none %}is {{ value }} from the first value on
{%- else %}became {{ value }} at {{ unit or 'step' }} {{ nan_step }} and stayed so (last finite:
{{ last_finite_value }} at {{ unit or 'step' }} {{ last_finite_step }}){% endif %}; the loss of the
training is finite
{%- if stepless %}; no step is printed, values are counted{% endif %}'''

[[summary]]
when = "clamped_at is not none"
say = '''The {{ metric }} stays at {{ '%.7g' | format(clamped_at) }} from {{ unit or 'step' }}
{{ nan_step }}
on: this is what Caffe computes of NaN, -ln of the least number of single precision (87.3365), times
its weight
{%- if last_finite_step is not none %} (last before: {{ last_finite_value }} at {{ unit or 'step' }}
{{ last_finite_step }}){% endif %}'''

[[summary]]
when = "of_part"
say = '''The {{ metric }}{% if also %}, like {{ also | names }},{% endif %}
{% if last_finite_step is not none %}became {{ value }} at {{ unit or 'step' }} {{ nan_step }} and
stayed so (last finite: {{ last_finite_value }} at {{ unit or 'step' }} {{ last_finite_step }})
{%- elif begins_later %}is {{ value }} already where this log begins, at {{ unit or 'step' }}
{{ nan_step }}: when
it became so is not in it
{%- elif last_finite_value is not none %}became {{ value }} and stayed so (last finite:
{{ last_finite_value }}){% else %}is {{ value }} from the first value on{% endif %}
{%- if of_mean %}; the loss that is printed within the epoch is finite
{%- elif finite_beside %}; {{ finite_beside | names }} beside it {{
finite_beside | agree('is', 'are') }} finite{% endif %}
{%- if stepless %}; no step is printed{% endif %}'''

[[summary]]
when = "recovered_step is not none"
say = '''The {{ metric }}{% if of_rank is not none %} of rank {{ of_rank }}{% endif %}
was {{ value }} once, at {{ unit or 'step' }} {{ nan_step }}, and finite again at
{{ unit or 'step' }} {{ recovered_step }}
(before: {{ last_finite_value }} at {{ unit or 'step' }} {{ last_finite_step }})
{%- if stepless %}; no step is printed, values are counted
{%- if epoch is not none %}: this is epoch {{ epoch }}{% endif %}{% endif %}'''

[[summary]]
when = "nan_values is not none"
say = '''The {{ metric }}{% if of_rank is not none %} of rank {{ of_rank }}{% endif %}
was {{ value }} in {{ nan_values }} of {{ of_values }} values from {{ unit or 'step' }}
{{ nan_step }} on, and finite between them
{%- if until_step is not none %} and again since {{ unit or 'step' }} {{ until_step }}{% endif %}
{%- if stepless %}; no step is printed, values are counted{% endif %}'''

[[summary]]
when = "at_the_end and last_finite_step is not none"
say = '''The {{ metric }}{% if of_rank is not none %} of rank {{ of_rank }}{% endif %} is
{{ value }} at {{ unit or 'step' }} {{ nan_step }}, where the log ends (last finite:
{{ last_finite_value }} at {{ unit or 'step' }}
{{ last_finite_step }})
{%- if not loss_unread %}; the printed loss is still finite{% endif %}
{%- if stepless %}; no step is printed, values are counted
{%- if epoch is not none %}: this is epoch {{ epoch }}{% endif %}{% endif %}'''

[[summary]]
when = "nan_step is not none and last_finite_step is not none"
say = '''The {{ metric }}{% if of_rank is not none %} of rank {{ of_rank }}{% endif %}
{% if until_step is none %}became {{ value }} at {{ unit or 'step' }} {{ nan_step }} and stayed so
{%- else %}was {{ value }} from {{ unit or 'step' }} {{ nan_step }} on, and finite again at
{{ unit or 'step' }} {{ until_step }}{% endif %}
(last finite: {{ last_finite_value }} at {{ unit or 'step' }} {{ last_finite_step }})
{%- if loss_is_zero %}; {{ 'it' if metric == 'loss' else 'the loss' }} is printed as exactly 0 from
there on{% endif %}
{%- if burst_step is not none %}; it had jumped to {{ '%.4g' | format(burst_value) }} at
{{ unit or 'step' }} {{ burst_step }}{% endif %}
{%- if stepless %}; no step is printed, values are counted
{%- if epoch is not none %}: this is epoch {{ epoch }}{% endif %}{% endif %}
{%- if loss_scale is not none %}; the loss scale fell from {{ loss_scale_before }} to
{{ loss_scale }}{% endif %}'''

[[summary]]
when = "unlearned"
say = '''The {{ metric }} is {{ value }} from the first value on,
{{ unit or 'step' }} {{ nan_step }}, while the loss is finite and does not fall: no update seems to
be made, or none that counts'''

[[summary]]
when = "undecided"
say = '''The {{ metric }} is {{ value }} wherever it is printed, from {{ unit or 'step' }}
{{ nan_step }} on, while the loss is finite: these are too few values to tell whether it
falls'''

[[summary]]
when = "begins_later"
say = '''The {{ metric }}{% if of_rank is not none %} of rank {{ of_rank }}{% endif %} is
{{ value }} already where this log begins, at {{ unit or 'step' }} {{ nan_step }}: when it became so
is not in it'''

[[summary]]
when = "nan_step is not none"
say = '''The {{ metric }}{% if of_rank is not none %} of rank {{ of_rank }}{% endif %} is
{{ value }} from the first value on, {{ unit or 'step' }} {{ nan_step }}
{%- if loss_is_zero %}; it is printed as 0, beside a gradient norm that is not finite{% endif %}
{%- if loss_scale is not none %}; the loss scale fell from {{ loss_scale_before }} to
{{ loss_scale }}{% endif %}'''

[[summary]]
when = "skipped_updates and nan_step is none and not gave_up"
say = '''{{ skipped_updates | count('line') | capital }} in a row
{%- if rank is not none %} of rank {{ rank }}{% endif %} report a loss or gradients that are not
finite, for which no update is made ({{ message | cut(120) }})'''

[[summary]]
when = "of_run and nan_step is none and not gave_up"
say = '''The run {{ of_run }} ended with a loss that is no number ({{ message }}), as its summary
tells'''

[[summary]]
when = "distribution"
say = '''An output of the model is NaN{% if rank is not none %} on rank {{ rank }}{% endif %}:
{{ distribution }} refuses its parameter {{ parameter }}, and the program stopped'''

[[summary]]
when = "sampled and nan_step is none and not gave_up"
say = '''An output of the model is NaN or infinite{% if rank is not none %} on rank
{{ rank }}{% endif %}: nothing can be sampled from it, and the program stopped'''

[[summary]]
when = "of_bar and not gave_up"
say = '''The loss{% if rank is not none %} of rank {{ rank }}{% endif %} is NaN in the bar of an
epoch, first at step {{ of_bar }} of it, and no finite value follows; it is the mean since the
epoch began'''

[[summary]]
when = "message and not gave_up"
say = '''{% if rank is not none %}Rank {{ rank }}{% else %}The program{% endif %} found NaN or
Inf{% if step is not none %} at {{ unit or 'step' }} {{ step }}{% endif %}
{% if not goes_on %}and stopped {% endif %}({{ message | cut(120) }})'''

[[summary]]
when = "overflows_at_minimum"
say = '''{{ overflows_at_minimum | count('step') | capital }} in a row overflowed at the least loss
scale there is ({{ loss_scale }}): every update is skipped, nothing is learned'''

[[summary]]
say = '''The loss scale collapsed
{%- if loss_scale is not none %}
{%- if loss_scale < loss_scale_before %} from {{ loss_scale_before }}{% endif %}
to {{ loss_scale }}{% endif %}
{%- if loss_scale_halvings and loss_scale_halvings > 1 %}: it was lowered {{ loss_scale_halvings }}
times and never raised between{% endif %}
{%- if gave_up %}, and the trainer gave up{% endif %}'''

[[step]]
when = "module and near_fp16_limit"
say = '''Run {{ module }} in fp32 (switch autocast off around it), or train in bf16: its values
outgrow fp16. Clamping them only hides it.'''

[[step]]
when = "module and not near_fp16_limit"
say = '''Look at what {{ module }} does with its input: a division by zero, the logarithm or root
  of
a negative number, a mask of nothing but -inf before a softmax. The values before it are far from
the
limit of fp16.'''

[[step]]
when = "recovered_step is not none"
say = '''Leave it running if the loss goes on as before: one bad batch made this value. Look at the
batches since {{ unit or 'step' }} {{ last_finite_step }} (empty targets, boxes without area, a
division by zero) and skip the update where the loss is not finite; an average over a window hides
how many there were.'''

[[step]]
when = "nan_values is not none and not of_part and not of_validation"
say = '''Print the loss of each batch, and skip the update where it is not finite: single batches
make it {{ value }} and the weights are still finite. Look at those batches: empty targets, a
division by zero, a mean over nothing, values that fp16 cannot hold.'''

[[step]]
when = "of_part and of_mean"
say = '''Print the loss of every batch of an epoch, or stop at the first that is not finite: one
batch makes the mean {{ value }}, and its update may have broken the weights. Nothing is wrong where
the program takes the mean of no batches.'''

[[step]]
when = "of_part and not of_mean"
say = '''Find out whether {{ metric }} counts in what is minimized: if it does, the weights have
been {{ value }} since, whatever the other parts look like. Look at the targets and masks behind it;
a part that has no samples (a mean over nothing) should be left out of the sum.'''

[[step]]
when = "skipped_updates"
say = '''Find out which batches these are: print their samples. A CTC loss is infinite where the
targets are longer than the frames they are aligned to, a mean over empty targets is NaN; leave such
samples out. If every batch is skipped, the weights themselves are not finite: go back to a
checkpoint.'''

[[step]]
when = "of_validation"
say = '''Look at what differs in validation: a batch that is empty or has no targets (a mean over
nothing is NaN), half precision without the loss scale, statistics of batch normalization that are
not finite. Evaluate the last checkpoint batch by batch in fp32: the first batch that is not
finite tells which it is.'''

[[step]]
when = "at_the_end"
say = '''Look whether the next values are finite: one step with such a gradient turns the weights
to NaN unless it is skipped. Do not save or use a checkpoint made after {{ unit or 'step' }}
{{ nan_step }} before
its weights were checked.'''

[[step]]
when = "burst_step is not none and not unit"
say = '''Look first at the batch of step {{ burst_step }}, where the {{ metric }} jumped to
{{ '%.4g' | format(burst_value) }}: what became NaN at step {{ nan_step }} began there.'''

[[step]]
when = "of_boosting"
say = '''Lower the learning rate or raise the regularization of the leaves (l2_leaf_reg), and look
at the targets and weights of the data: values that are not finite, out of the range of the loss, or
beyond all others make the sums of a leaf overflow. The trees before step {{ nan_step }} are still
good.'''

[[step]]
when = '''at_the_start and recovered_step is none and nan_values is none and not of_validation
  and not of_part and not of_boosting'''
say = '''Look at the start, not at the course of the training: it broke in its first steps. Begin
with a lower learning rate and a warm-up, clip the gradients, and look at initialization, labels out
of range, and empty or masked-out batches (a mean over nothing is NaN). Run the first batches in
fp32.'''

[[step]]
when = '''last_finite_step is not none and not stepless and recovered_step is none
  and nan_values is none and not of_validation and not at_the_start and not of_boosting'''
say = '''Go back to a checkpoint well before {{ unit or 'step' }} {{ nan_step }}
{%- if checkpoint_step is not none %} (one was saved at step {{ checkpoint_step }}){% endif %}
and run to that {{ unit or 'step' }} again with the same data. If it breaks at the same
{{ unit or 'step' }}, it is the data or the recipe: look at the {{ 'data' if unit else 'batch' }} of
{{ unit or 'step' }} {{ nan_step }}, the gradient norm and the learning rate just before. If it does
not, suspect a GPU.'''

[[step]]
when = "begins_later and not undecided"
say = '''Find the log of the steps before {{ nan_step }}: it tells where the {{ metric }} was last a
number, and which checkpoint is still good.'''

[[step]]
when = "unlearned or undecided"
say = '''See whether any update is made: whether the scaler skips every step (its scale, its
found_inf), and whether the weights of two checkpoints differ. To clip by a norm that is {{ value }}
makes all gradients NaN or zero.'''

[[step]]
when = '''nan_step is not none and last_finite_step is none and not of_validation
  and not begins_later and not of_part and not unlearned and not undecided'''
say = '''Look at the start, not at the course of the training: initialization, weights that were
not loaded, labels out of range, empty or masked-out batches (a mean over nothing is NaN), a
learning rate without warm-up. Run the first batches in fp32.'''

[[step]]
when = "loss_scale is not none or gave_up"
say = '''Train in bf16 if the GPUs have it: it needs no loss scale. With fp16, lower the learning
rate, clip gradients, and keep softmax, norms and the loss in fp32; a larger initial loss scale does
not help.'''

[[step]]
when = "distribution"
say = '''Log the loss and the gradient norm of every update before it, and stop at the first that is
not finite: the weights became NaN there, or what was observed was NaN already. Then lower the
learning rate, clip the gradient norm, and keep what is divided by (a standard deviation, the
advantages') away from zero.'''

[[step]]
when = "sampled"
say = '''See whether the weights that it samples with are finite: those of a checkpoint, and those
that an update has just changed. If they are, run the same prompt in fp32 or bf16 (fp16 overflows
in models that were trained in bf16), and look for rows that are padding or masked throughout.'''

[[step]]
when = "rank is not none and nan_step is none"
say = '''Look at rank {{ rank }} first{% if host %} ({{ host }}){% endif %}: if the same batch
is finite on another GPU, take that one out and test it.'''
run = ["dcgmi diag -r 3", "nvidia-smi -q -d ECC,PAGE_RETIREMENT"]

[[step]]
when = "not module and not of_validation and not of_boosting"
say = '''Find the first module that is not finite: switch on a detector for the last steps
before, one for activations (forward hooks, Hugging Face's --debug underflow_overflow) and one
for gradients (torch.autograd.set_detect_anomaly, Megatron's --check-for-nan-in-loss-and-grad).
Then run that module in fp32.'''
*/
with
    stretch as (
        select
            *,
            -- values are only counted, while another curve of the loss has steps
            stepless
            and bool_or(not coalesce(stepless, false) and canonical = 'loss') over () as is_counted
        from
            (
                from nonfinite_loss
                union all by name
                select
                    *,
                    true as of_part,
                    false as passing,
                    false as of_gradient,
                    false as unlearned,
                    false as undecided,
                    false as of_validation
                from nonfinite_part
                union all by name
                select
                    * exclude (value, base, time, clip_of, after_noise, is_nan, before_value),
                    before_value as base,
                    epoch(time) as start_seconds,
                    'NaN' as value,
                    value as clamped_at,
                    false as passing,
                    false as of_gradient,
                    false as unlearned,
                    false as undecided,
                    false as of_validation
                from frozen_loss
                where is_nan
            )
    ),
    first_stretch as (
        select * exclude (is_counted)
        from stretch
        qualify
            row_number() over (
                order by
                    nan_times is not null,
                    undecided,
                    of_part nulls first,
                    passing,
                    of_validation,
                    of_gradient and points < 5,
                    is_counted,
                    canonical = 'epoch_loss',  -- it may count epochs where others count steps
                    start_step,
                    canonical <> 'loss',
                    series_points desc,
                    series_id
            )
            = 1
    ),
    zero_beside_norm as (
        select l.file_id, l.line_no
        from line_step l
        join line_value v using (line_id)
        where l.line_id in (select line_id from hidden_nan) and v.name = 'loss' and v.number = 0
    ),
    between_values as (
        select
            b.series_id,
            b.start_step,
            count(*) as finite,
            not any_value(b.passing) and count(*) * 4 >= any_value(b.points) as is_mixed
        from first_stretch b
        join
            series_point p
            on p.series_id = b.series_id
            and p.file_id = b.file_id
            and p.line_no > b.line_no
            and p.line_no < if(b.end_file = b.file_id, b.end_line, 9e18)
            and isfinite(p.value)
        -- zeros between are values as well that were none
        where (b.file_id, b.line_no) not in (from zero_beside_norm)
        group by all
    ),
    giving_up as (
        select *
        from training_event
        where kind = 'scale_minimum'
        order by time nulls last, file_id, line_no
        limit 1
    ),
    collapse as (
        select
            coalesce(g.file_id, c.file_id) as file_id,
            g.line_no as fatal_line,
            c.first_line,
            c.last_line,
            coalesce(g.time, c.time) as at,
            c.step,
            c.highest,
            c.lowest,
            c.halvings,
            c.overflows_at_minimum,
            g.message is not null as gave_up
        from (select * from giving_up) g
        full join
            (
                select *
                from loss_scale_collapse
                order by time nulls last, file_id, last_line
                limit 1
            ) c
            on true
    ),
    check_that_stopped as (
        -- Programs that check say what they found, and stop at it. Where nothing of it was
        -- printed as a value, that is all there is.
        select
            file_id,
            line_no,
            time,
            rank,
            host,
            message,
            not is_of_stop as goes_on,
            regexp_matches(message, '^[0-9]+/[0-9]+ .*- ETA: ') as of_bar,
            coalesce(
                step,
                (
                    select max(m.step)
                    from metric m
                    where m.canonical = 'loss' and m.file_id = e.file_id and m.line_no < e.line_no
                )
            ) as step
        from
            (
                select
                    *,
                    regexp_matches(
                        message,
                        '^rank +[0-9]+ = |Unexpected result|in local (forward loss|grad norm)'
                        || '|, stopping|^NaN detected|^Parameter is not finite'
                        || '|training criterion is not a number'
                        || '|loss .*contains a NaN|The loss returned in|Model diverged'
                        || '|NaN loss during|bec[ao]me infinite|due to (NaN|Inf) loss|NaN loss with'
                        || '|Invalid loss|non-finite loss|LossTensor is|in summary histogram'
                        || '|(?i:abort|exiting|terminat|training (was )?stopped)'
                    ) as is_of_stop
                from training_event
                where kind = 'nan_found'
            ) e
        where
            is_of_stop
            -- no number follows: it did not come back
            or regexp_matches(message, '(?i)loss|parameters|weights')
            and not exists (
                from metric m
                where
                    m.canonical = 'loss'
                    and m.file_id = e.file_id
                    and m.line_no > e.line_no
                    and isfinite(m.value)
            )
        union all by name
        -- a loss on lines whose other values are not read: it stays NaN to their end, or to the
        -- log's; what is left in a buffer when a program dies of something else is no end
        select file_id, line_no, time, rank, host, message, true as goes_on
        from unread_nan u
        where
            not exists (
                from fatal_exception e
                where
                    e.file_id = u.file_id
                    and e.line_no < u.line_no
                    and e.certain
                    and e.kind <> 'loss'
            )
        union all by name
        select file_id, line_no, time, rank, host, message, false as goes_on, of_run, of_several
        from nan_summary
        union all by name
        select file_id, line_no, time, rank, host, message, true as goes_on
        from updates_skipped
        union all by name
        select file_id, line_no, time, rank, host, message, false as goes_on
        from fatal_exception
        where
            stops_over_its_loss(kind, certain, lines_after, message)
            or kind = 'loss'
            and lines_after <= 20
            and ends_with(message, 'found invalid values:')
    ),
    first_check as (
        select
            c.*,
            u.times,
            u.is_short,
            nullif(
                regexp_extract(c.message, 'of distribution ([A-Za-z0-9_]+)\(', 1), ''
            ) as distribution,
            starts_with(c.message, 'probability tensor contains') as sampled,
            nullif(regexp_extract(c.message, '^Expected parameter (\w+)', 1), '') as parameter
        from check_that_stopped c
        left join updates_skipped u on u.file_id = c.file_id and u.line_no = c.line_no
        order by c.step nulls last, c.time nulls last, c.rank nulls last, c.file_id, c.line_no
        limit 1
    )
select
    [
        u.evidence,
        line_at(b.before_file, b.before_line),
        line_at(b.file_id, b.line_no),
        line_at(b.last_file, b.last_line),
        line_at(s.file_id, s.first_line),
        line_at(s.file_id, s.last_line),
        line_at(s.file_id, s.fatal_line),
        line_at(n.file_id, n.line_no)
    ] as evidence,
    case
        when
            (b.passing or b.of_validation or b.of_part or b.unlearned or b.undecided)
            and n.message is null
            and not coalesce(s.gave_up, false)
            or b.series_id is null
            and s.file_id is null
            and n.is_short
            -- a trial of several, the others of which are sound
            or b.series_id is null
            and s.file_id is null
            and n.of_several
        then 'warning'
    end as severity,
    case
        when b.passing and b.series_points < 10 or b.nan_times is not null
        then 'possible'
        when b.passing or b.of_validation or d.is_mixed
        then 'probable'
        -- A part may have no values by nature, and weights that broke leave no other finite.
        when b.clamped_at is not null
        then 'probable'
        when
            b.of_part
            or b.unlearned
            or b.undecided
            or b.series_id is null
            and s.file_id is null
            and n.is_short
        then 'possible'
        when b.series_id is null and s.file_id is null and (n.distribution is not null or n.sampled)
        then 'probable'
        -- One value of the gradient norm, where the log ends: it may have come back.
        when b.of_gradient and b.points < 5
        then if(b.loss_is_zero, 'probable', 'possible')
    end as confidence,
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
    b.end_step as until_step,
    case when b.passing and b.nan_times is null then b.end_step end as recovered_step,
    b.nan_times,
    b.of_times,
    b.of_gradient
    and b.points < 5
    and not b.undecided
    and not coalesce(b.loss_is_zero, false) as at_the_end,
    case
        when
            b.loss_is_zero
            or b.canonical = 'loss'
            and (b.file_id, b.line_no) in (from zero_beside_norm)
        then true
    end as loss_is_zero,
    case when b.unlearned then true end as unlearned,
    case when b.undecided and not b.loss_is_zero then true end as undecided,
    case
        when
            b.of_gradient
            and not exists (from metric m where m.canonical = 'loss' and m.file_id = b.file_id)
        then true
    end as loss_unread,
    case when b.of_validation then true end as of_validation,
    case
        when
            b.before_step is null
            and not b.of_validation
            and not b.stepless
            and b.start_step > 10
            and b.start_step > coalesce(
                (
                    select 3 * max(d.usual_distance)
                    from step_distance d
                    where d.series_id = b.series_id
                ),
                case when b.of_part then 1000 end
            )
        then true
    end as begins_later,
    b.before_step as last_finite_step,
    b.base as last_finite_value,
    case
        when
            e.unit is null
            and not b.stepless
            and (
                select
                    (
                        count_if(isfinite(p.value) and p.step < b.start_step) <= 2
                        or b.start_step <= 10
                    )
                    and min(p.step) <= 2 * (b.start_step - b.before_step)
                from series_point p
                where p.series_id = b.series_id
            )
        then true
    end as at_the_start,
    case
        when exists (from training_value v where v.file_id = b.file_id and v.trainer = 'catboost')
        then true
    end as of_boosting,
    case when e.unit is null then saved_up_to(b.before_step) end as checkpoint_step,
    b.value,
    case when b.passing and b.series_points < 25 then true end as few_points,
    b.name as metric,
    b.series_rank as of_rank,
    case when b.of_part then true end as of_part,
    case when b.of_mean then true end as of_mean,
    b.clamped_at,
    nullif(b.also, []) as also,
    b.finite_beside,
    case when b.stepless then true end as stepless,
    e.unit,
    u.burst_step,
    u.burst_value,
    case when b.stepless then epoch_at(b.file_id, b.line_no) end as epoch,
    s.halvings as loss_scale_halvings,
    s.highest as loss_scale_before,
    s.lowest as loss_scale,
    s.overflows_at_minimum,
    case when s.gave_up then true end as gave_up,
    n.message,
    case when b.series_id is null then n.distribution end as distribution,
    case when b.series_id is null then n.parameter end as parameter,
    case when b.series_id is null and n.sampled then true end as sampled,
    n.times as skipped_updates,
    case when b.series_id is null then n.of_run end as of_run,
    case when n.goes_on then true end as goes_on,
    case
        when n.of_bar then nullif(regexp_extract(n.message, '^([0-9]+)/[0-9]+ ', 1), '')
    end as of_bar,
    -- single values are not finite, and those between them are
    case when d.is_mixed then b.points end as nan_values,
    case when d.is_mixed then b.points + d.finite end as of_values
from
    (
        -- what is printed as 0 before the first zero that the norm tells of was no number either
        select
            * exclude (is_zero_before) replace (
                if(is_zero_before, null, before_step) as before_step,
                if(is_zero_before, null, base) as base
            )
        from
            (
                select
                    *,
                    base = 0
                    and canonical = 'loss'
                    and (file_id, line_no) in (from zero_beside_norm) as is_zero_before
                from first_stretch
            )
    ) b
left join counted_in_epochs e on e.series_id = b.series_id
left join
    burst_before_nan u
    on u.series_id = b.series_id
    and u.run = b.run
    and u.start_step = b.start_step
left join between_values d on d.series_id = b.series_id and d.start_step = b.start_step
full join collapse s on true
full join first_check n on true
union all by name
select
    [line_at(file_id, line_no)] as evidence,
    time as "at",
    case when rank is not null then [rank] end as ranks,
    case when host is not null then [host] end as hosts,
    'definite' as confidence,
    batch,
    module,
    module_class,
    tensor as report_tensor,
    holds,
    last_finite,
    case when module is not null then is_near_fp16_limit end as near_fp16_limit
from overflow_first
qualify row_number() over (order by batch nulls last, file_id, line_no) = 1
