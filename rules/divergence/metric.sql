/*
title = "Ranks report different values for the same step"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["loss.nan", "loss.divergence", "loss.spike", "loss.plateau_shift", "crash.exception"]
lasting = true
about = """
A value that is the same on all ranks by nature (an averaged loss, the norm of reduced gradients,
the norm or a checksum of the weights that they all hold) was so for long, and then a minority of
ranks differs for good: silent data corruption, a broken collective, or weights that drifted apart.
"""
false_positives = "The program begins to print a local value on some ranks."
references = ["https://arxiv.org/abs/2407.21783", "https://arxiv.org/abs/2203.08989"]

[[summary]]
when = "message"
say = '''The replicas no longer hold the same weights{% if step is not none %} at step
{{ step }}{% endif %}: a comparison of their hashes failed'''

[[summary]]
when = "of_weights"
say = '''The weights of {{ ranks | ranks }} are no longer those of the other ranks: {{ metric }}
differs from step {{ step }} on; before, all agreed, and what the ranks average still does. It
looks like silent data corruption'''

[[summary]]
say = '''
{{ ranks | ranks | capital }} {{ ranks | agree('reports', 'report') }} another {{ metric }} than the
other ranks from step {{ step }} on ({{ value }} instead of {{ value_of_others }}); before, all
agreed'''

[[step]]
when = "message"
say = '''Find out which replica differs: print a checksum of each rank's weights from the last
checkpoint before the check, then take the host of that rank out of the pool and test its GPUs.'''
run = ["dcgmi diag -r 4", "nvidia-smi -q -d ECC,ROW_REMAPPER"]

[[step]]
when = "ranks"
say = '''Take {% if hosts %}{{ hosts | names }}{% else %}the
{{ ranks | agree('host', 'hosts') }} of {{ ranks | ranks }}{% endif %} out of the pool and test
{% if gpus %}{{ gpus | names('GPU') }}{% else %}the GPUs{% endif %} there: the long diagnosis,
ECC counters, a matrix multiplication with a known result.'''
run = ["dcgmi diag -r 4", "nvidia-smi -q -d ECC,ROW_REMAPPER", "dmesg -T | grep -i -E 'xid|nvrm'"]

[[step]]
when = "ranks"
say = '''Compare checksums of the weights of all ranks that should hold the same, to see whether
they have drifted apart already. Then resume from a checkpoint before step {{ step }}
{%- if checkpoint_step is not none %} (one was saved at step {{ checkpoint_step }}){% endif %}.'''
*/
with
    printed as (
        select
            name,
            canonical,
            step,
            rank,
            arg_max(value, ordinal) as value,
            arg_max(line_at(file_id, line_no), ordinal) as place,
            min(time) as time
        from metric
        where
            canonical in ('loss', 'grad_norm', 'param_norm')
            and rank is not null
            and step is not null
        group by all
    ),
    compared as (
        select *, median(value) over same as usual, count(*) over same as ranks_here
        from printed
        window same as (partition by name, step)
    ),
    one_step as (
        select
            name,
            step,
            bool_and(value = usual or isnan(value) and isnan(usual)) as is_exact,
            row_number() over (partition by name order by step) as nth,
            count(*) over (partition by name) as steps
        from compared
        where ranks_here >= 3
        group by name, step
    ),
    tolerance as (
        -- Ranks agree where they differ by rounding only; where they print the very same digits
        -- for long, every other digit tells.
        select
            name,
            case
                when bool_and(is_exact) filter (nth <= greatest(4, steps / 4)) then 0 else 1e-5
            end as share
        from one_step
        group by name
    ),
    judged as (
        select
            c.*,
            not (
                value = usual
                or abs(value - usual) <= t.share * abs(usual)
                or isnan(value)
                and isnan(usual)
            ) as differs
        from compared c
        join tolerance t using (name)
        where ranks_here >= 3
    ),
    by_step as (
        select name, step, count(*) filter (differs) as different, any_value(ranks_here) as n
        from judged
        group by all
    ),
    first_difference as (
        select name, min(step) filter (different > 0) as step, count(*) as points
        from by_step
        group by name
    ),
    split as (
        select
            f.name,
            f.step,
            f.points,
            count(*) filter (s.step < f.step) as before,
            count(*) filter (s.step >= f.step) as after,
            count(*) filter (
                s.step >= f.step and s.different > 0 and s.different < s.n / 2.0
            ) as apart
        from first_difference f
        join by_step s using (name)
        where f.step is not null
        group by all
    ),
    culprit as (
        select
            j.name,
            any_value(j.canonical) as canonical,
            s.step,
            j.rank,
            arg_min(j.place, j.step) filter (j.differs) as place,
            arg_min(j.value, j.step) filter (j.differs) as value,
            arg_min(j.usual, j.step) filter (j.differs) as usual,
            min(j.time) filter (j.differs) as time
        from judged j
        join split s on s.name = j.name and j.step >= s.step
        -- agreed for long, then a minority differs nearly always
        where s.before >= greatest(4, 0.25 * s.points) and s.after >= 3 and s.apart > 0.8 * s.after
        group by j.name, s.step, j.rank
        having count(*) filter (j.differs) > 0.8 * count(*)
    ),
    minority as (
        select
            name,
            step,
            list(rank order by rank) as ranks,
            list(place order by rank) as places,
            any_value(canonical) as canonical,
            any_value(value) as value,
            any_value(usual) as usual,
            min(time) as time
        from culprit
        group by name, step
    )
select
    m.places || (
        select list(j.place order by j.rank)[:3]
        from judged j
        where j.name = m.name and j.step = m.step and not j.differs
    ) as evidence,
    m.time as at,
    m.ranks,
    m.step,
    m.name as metric,
    case when m.canonical = 'param_norm' then true end as of_weights,
    m.value,
    m.usual as value_of_others,
    saved_up_to(m.step - 1) as checkpoint_step
from minority m
qualify row_number() over (order by m.step, m.name) = 1
union all by name
-- Replicas that a program compares by itself.
select
    [line_at(file_id, line_no)] as evidence,
    time as "at",
    case when rank is not null then [rank] end as ranks,
    'definite' as confidence,
    step,
    message
from training_event
where kind = 'hashes_differ'
qualify row_number() over (order by time nulls last, file_id, line_no) = 1
