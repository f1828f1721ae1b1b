-- table: One row per place where the job begins to learn something else as planned: a phase that
-- the log announces or a column of its table names, another batch size, sequence length or lesson,
-- or the weights that were best so far, which a schedule goes back to in the middle of training
-- (what: in the log's words, or old -> new).
select file_id, line_no, step, message as what
from training_event
where kind = 'phase' and step is not null
union all
-- a lesson of a curriculum that names no step begins with the line below
select e.file_id, e.line_no, m.step, e.message
from
    (
        select file_id, line_no, message
        from training_event
        where kind = 'phase' and step is null and regexp_matches(message, '(?i)curriculum')
        qualify count(*) over (partition by file_id) <= 40
    ) e
asof join
    (
        select file_id, line_no, step
        from metric
        where canonical in ('loss', 'component_loss') and step is not null
    ) m
    on m.file_id = e.file_id
    and m.line_no >= e.line_no
union all
select file_id, line_no, step, name || ' ' || was || ' -> ' || value
from
    (
        select
            file_id,
            line_no,
            step,
            name,
            value,
            lag(value) over (partition by file_id, source, name, rank order by ordinal) as was
        from metric
        where canonical in ('batch_size', 'sequence_length') and step is not null
    )
where abs(value - was) > 0.01 * abs(was)
union all
-- how hard the task is, where the log numbers it: it goes up a few times, and stays between
select file_id, line_no, step, name || ' ' || was || ' -> ' || value
from
    (
        select
            *,
            count(was) filter (value > was) over whole as times,
            bool_or(value < was or value <> trunc(value)) over whole as is_measured,
            count(*) over whole as points
        from
            (
                select
                    file_id,
                    line_no,
                    step,
                    source,
                    name,
                    rank,
                    value,
                    lag(value) over (
                        partition by file_id, source, name, rank order by ordinal
                    ) as was
                from metric
                where
                    canonical is null
                    and step is not null
                    and name in (
                        select name
                        from metric_name
                        where
                            regexp_full_match(
                                plain_name(name),
                                '([a-z]+/)?(curriculum|task)?_?'
                                || '(level|lesson|stage|difficulty|curriculum)'
                            )
                    )
            )
        window whole as (partition by file_id, source, name, rank)
    )
where value > was and not is_measured and 5 * times < points
union all
-- a column that names the phase: it goes on a few times, and stays between
select file_id, line_no, step, was || ' -> ' || phase
from
    (
        select *, count_if(phase <> was) over whole as times, count(*) over whole as points
        from
            (
                select
                    p.file_id,
                    p.line_no,
                    p.step,
                    c.source,
                    c.name,
                    c.rank,
                    c.phase,
                    lag(c.phase) over (
                        partition by p.file_id, c.source, c.name, c.rank order by p.line_no
                    ) as was
                from metric_point p
                join
                    (
                        from curve_metric
                        where canonical in ('loss', 'component_loss')
                        qualify
                            count(distinct phase) over (partition by file_id, source, name, rank)
                            > 1
                    ) c
                    on c.file_id = p.file_id
                    and c.curve = p.curve
            )
        window whole as (partition by file_id, source, name, rank)
    )
where phase <> was and 5 * times < points
union all
select e.file_id, e.line_no, max(m.step) as step, e.message as what
from training_event e
join
    metric m
    on m.file_id = e.file_id
    and e.line_no - m.line_no between 1 and 60
    and m.canonical in ('loss', 'component_loss')
where
    e.kind = 'load'
    and regexp_matches(e.message, '(?i)(?:^|[^a-z])best(?:[^a-z]|$)')
    and not exists (
        from training_mark s
        where
            s.file_id = e.file_id
            and s.line_no between m.line_no and e.line_no
            and s.kind in ('start', 'fresh_start', 'end')
    )
group by e.file_id, e.line_no, e.message
