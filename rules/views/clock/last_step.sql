-- table: One row per step among the last fifty of every writer that prints steps with their time
-- and loss; of a step written twice the last time counts.
with
    step as (
        select file_id, line_no, host, rank, step, value, time
        from line_metric
        where canonical = 'loss' and step is not null and time is not null
        qualify
            row_number() over (partition by file_id, rank, step order by line_no desc) = 1
            and dense_rank() over (partition by file_id, rank order by step desc) <= 50
    ),
    line as (
        select file_id, line_no, any_value(time_quality) as time_quality
        from training_line
        group by file_id, line_no
    )
select step.*, line.time_quality
from step
join line using (file_id, line_no)
