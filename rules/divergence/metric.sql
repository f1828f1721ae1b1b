/*
title = "Ranks report different values for the same step"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["loss.nan", "loss.divergence", "loss.spike", "loss.plateau_shift"]
about = "A value that is the same on all ranks by nature (an averaged loss, the norm of reduced gradients) was so for long, and then a minority of ranks differs for good: silent data corruption, a broken collective, or weights that drifted apart."
remedy = "Take the ranks' node out and run diagnostics (memory, ECC, a matrix multiplication with a known result); compare checksums of the weights of all ranks; resume from a checkpoint before that step."
false_positives = "The program begins to print a local value on some ranks."
references = ["https://arxiv.org/abs/2407.21783", "https://arxiv.org/abs/2203.08989"]
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
    common as (
        -- What most ranks say; ranks agree where they differ by rounding only.
        select *, median(value) over same as usual, count(*) over same as ranks_here
        from printed
        window same as (partition by name, step)
    ),
    told as (
        select
            *,
            not (
                value = usual
                or abs(value - usual) <= 1e-5 * abs(usual)
                or isnan(value)
                and isnan(usual)
            ) as differs
        from common
        where ranks_here >= 3
    ),
    steps as (
        select name, step, count(*) filter (differs) as different, any_value(ranks_here) as n
        from told
        group by all
    ),
    first as (
        -- The first step from which a minority differs nearly always.
        select
            name,
            min(step) filter (different > 0) as step,
            count(*) as points,
            min(step) as begins,
            max(step) as ends
        from steps
        group by name
    ),
    split as (
        select
            f.name,
            f.step,
            f.points,
            (select count(*) from steps s where s.name = f.name and s.step < f.step) as before,
            (select count(*) from steps s where s.name = f.name and s.step >= f.step) as after,
            (
                select count(*)
                from steps s
                where s.name = f.name and s.step >= f.step and different > 0 and different < n / 2.0
            ) as apart
        from first f
        where f.step is not null
    ),
    culprit as (
        select
            t.name,
            t.rank,
            count(*) filter (t.differs) as times,
            count(*) as n,
            arg_min(t.place, t.step) filter (t.differs) as place,
            arg_min(t.value, t.step) filter (t.differs) as value,
            arg_min(t.usual, t.step) filter (t.differs) as usual,
            min(t.time) filter (t.differs) as time
        from told t
        join split s on s.name = t.name and t.step >= s.step
        where s.before >= greatest(4, 0.25 * s.points) and s.after >= 3 and s.apart > 0.8 * s.after
        group by t.name, t.rank
        having count(*) filter (t.differs) > 0.8 * count(*)
    ),
    one as (
        select
            c.name,
            s.step,
            list(c.rank order by c.rank) as ranks,
            list(c.place order by c.rank) as places,
            any_value(c.value) as value,
            any_value(c.usual) as usual,
            min(c.time) as time
        from culprit c
        join split s using (name)
        group by c.name, s.step
    )
select
    'From step '
    || plain(o.step)
    || ' on rank '
    || ranges(o.ranks)
    || ' reports another '
    || o.name
    || ' ('
    || plain(o.value)
    || ') than the other ranks ('
    || plain(o.usual)
    || '), with which it agreed before' as summary,
    o.places || (
        select list(place order by rank)[:3]
        from told t
        where t.name = o.name and t.step = o.step and not t.differs
    ) as evidence,
    o.time as at,
    o.ranks,
    o.step,
    o.name as metric,
    o.value,
    o.usual as value_of_others
from one o
qualify row_number() over (order by o.step, o.name) = 1
