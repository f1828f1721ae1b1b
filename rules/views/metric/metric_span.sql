-- view: From which line of a file to which metrics stand in it.
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
