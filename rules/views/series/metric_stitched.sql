-- view: One row per curve, run and step that counts: where a step was logged again the later one.
-- state: live, or dead where training went back behind it.
select
    s.series_id,
    g.run,
    g.state,
    p.step,
    p.value,
    p.time,
    p.file_id,
    p.line_no,
    s.name,
    s.canonical,
    s.rank
from series_point p
join series s using (series_id)
join
    segment g
    on g.series_id = p.series_id
    and g.file_id = p.file_id
    and p.line_no between g.line_no and g.last_line
where g.state in ('live', 'dead')
qualify
    row_number() over (
        partition by p.series_id, g.run, g.state, p.step order by p.turn desc, p.ordinal desc
    )
    = 1
