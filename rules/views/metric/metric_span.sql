-- view: One row per file with metrics: the first and the last line that has one.
select file_id, min(line_no) as first_line, max(last_line) as last_line
from
    (
        select file_id, line_no, line_no as last_line
        from line_metric
        union all
        select file_id, line_no, last_line
        from metric_curve
    )
group by file_id
