-- table: One row per restart of a curve: the line behind which it begins, or the step where that
-- line is in another file than the curve.
select distinct k.series_id, e.file_id, e.line_no, null::double as step
from training_event e
join series_member k using (file_id)
where e.kind in ('resume', 'load', 'midepoch_resume')
union all
select distinct k.series_id, k.file_id, null, e.step
from training_event e, series_member k
where
    e.kind in ('resume', 'load')
    and e.step > 0
    and e.file_id not in (select file_id from series_member where canonical = 'loss')
