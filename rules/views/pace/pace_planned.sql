-- table: One row per writer and run whose change of pace (pace_change) is by plan: the log reports
-- a phase, or another batch size or sequence length, within a block of steps around it.
select distinct c.writer, c.run
from pace_change c
join planned_change g on g.file_id = c.file_id
left join
    pace first
    on first.writer = c.writer
    and first.run = c.run
    and first.k = greatest(c.k - c.block_points, 1)
left join pace last on last.writer = c.writer and last.run = c.run and last.k = c.k + c.block_points
where g.what is null or g.line_no between first.line_no and coalesce(last.line_no, c.line_no)
