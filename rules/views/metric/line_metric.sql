-- table: One row per value of a metric on a line, in the order of the log: what it means
-- (canonical; NULL where nothing is known), its step, and its value in seconds or single units.
select
    v.file_id,
    v.line_no,
    v.time,
    v.host,
    v.rank,
    n.source,
    v.name,
    n.canonical,
    v.step,
    v.value * n.factor as value,
    v.line_no * 1048576 + coalesce(v.place, 0) as ordinal,
    v.steps_planned,
    n.is_average
from printed_value v
join
    metric_name n
    on n.file_id = v.file_id
    and n.stream = v.stream
    and n.name = v.name
    and n.phase = v.phase
    and n.unit = v.unit
    and n.trainer = v.trainer
union all by name
from announced_nan
