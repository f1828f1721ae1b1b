-- table: One row per place where the job begins to learn something else as planned: a phase that
-- the log announces, another batch size or sequence length, or the weights that were best so far,
-- which a schedule goes back to in the middle of training (what: in the log's words, or old ->
-- new).
select file_id, line_no, step, message as what
from training_event
where kind = 'phase' and step is not null
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
