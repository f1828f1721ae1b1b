-- table: What stands out in loss curves, with what else happened there. Where the job learns
-- something else by plan: phases, and changes of batch size or sequence length.
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
