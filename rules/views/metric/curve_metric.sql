-- table: One row per curve of a store that has a name of a known source, with what it means there
-- (canonical) and its factor to seconds or single units.
select
    c.file_id,
    c.curve,
    c.line_no,
    c.time,
    c.host,
    c.rank,
    c.source,
    c.name,
    c.phase,
    n.canonical,
    n.factor,
    c.points,
    c.planned as steps_planned,
    n.is_average
from stored_curve c
join
    metric_name n
    on n.file_id = c.file_id
    and n.source = c.source
    and n.name = c.name
    and n.phase = c.phase
    and n.trainer = 'store'
