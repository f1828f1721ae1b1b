-- table: One row per place where the job begins to learn something else as planned: a phase that
-- the log announces, another batch size or sequence length (what: in the log's words, or old ->
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
