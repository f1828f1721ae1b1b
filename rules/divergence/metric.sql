/*
title = "Ranks report different values for the same step"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["loss.nan", "loss.divergence", "loss.spike", "loss.plateau_shift"]
about = """
A value that is the same on all ranks by nature (an averaged loss, the norm of reduced gradients)
was so for long, and then a minority of ranks differs for good: silent data corruption, a broken
collective, or weights that drifted apart.
"""
false_positives = "The program begins to print a local value on some ranks."
references = ["https://arxiv.org/abs/2407.21783", "https://arxiv.org/abs/2203.08989"]
summary = '''
{{ ranks | ranks | capital }} {{ ranks | agree('reports', 'report') }} another {{ metric }} than the
other ranks from step {{ step }} on ({{ value }} instead of {{ value_of_others }}); before, all
agreed'''

[[step]]
say  = '''Take {% if hosts %}{{ hosts | names }}{% else %}the
{{ ranks | agree('host', 'hosts') }} of {{ ranks | ranks }}{% endif %} out of the pool and test
{% if gpus %}{{ gpus | names('GPU') }}{% else %}the GPUs{% endif %} there: the long diagnosis,
ECC counters, a matrix multiplication with a known result.'''
run  = ["dcgmi diag -r 4", "nvidia-smi -q -d ECC,ROW_REMAPPER", "dmesg -T | grep -i -E 'xid|nvrm'"]

[[step]]
say  = '''Compare checksums of the weights of all ranks that should hold the same, to see whether
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
        where canonical in ('loss', 'grad_norm') and rank is not null and step is not null
        group by all
    ),
    compared as (
        select *, median(value) over same as usual, count(*) over same as ranks_here
        from printed
        window same as (partition by name, step)
    ),
    judged as (
        -- Ranks agree where they differ by rounding only.
        select
            *,
            not (
                value = usual
                or abs(value - usual) <= 1e-5 * abs(usual)
                or isnan(value)
                and isnan(usual)
            ) as differs
        from compared
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
        group by all
        having count(*) filter (j.differs) > 0.8 * count(*)
    ),
    minority as (
        select
            name,
            step,
            list(rank order by rank) as ranks,
            list(place order by rank) as places,
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
    m.value,
    m.usual as value_of_others,
    saved_up_to(m.step - 1) as checkpoint_step
from minority m
qualify row_number() over (order by m.step, m.name) = 1
