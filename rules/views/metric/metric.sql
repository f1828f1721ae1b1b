-- view: One row per value of any metric from any source. Stores of millions of points are not
-- copied for it.
from line_metric
union all by name
select
    p.file_id,
    p.line_no,
    p.time,
    c.host,
    c.rank,
    c.source,
    c.name,
    c.canonical,
    p.step as step,
    p.metric_value * c.factor as value,
    p.line_no as ordinal,
    c.steps_planned,
    c.is_average
from metric_point p
join curve_metric c on c.file_id = p.file_id and c.curve = p.curve
