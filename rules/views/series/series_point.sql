-- view: One row per point of a curve, from lines and from stores; turn, ordinal: its order. The
-- largest integer stands for no value.
select k.series_id, m.step, m.value, m.time, m.file_id, m.line_no, k.turn, m.ordinal
from line_metric m
join
    series_member k
    on m.file_id = k.file_id
    and m.source = k.source
    and m.name = k.name
    and m.canonical = k.canonical
    and m.rank is not distinct from k.rank
    and k.curve is null
where m.value not in (2147483647, 2147483648, 9223372036854775807)
union all
select
    k.series_id, p.step, p.metric_value * c.factor, p.time, p.file_id, p.line_no, k.turn, p.line_no
from metric_point p
join series_member k on p.file_id = k.file_id and p.curve = k.curve
join curve_metric c on c.file_id = k.file_id and c.curve = k.curve
where p.metric_value not in (2147483647, 2147483648, 9223372036854775807)
