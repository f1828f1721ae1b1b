-- table: One row per restart of a curve: the line behind which it begins, or the step where that
-- line is in another file than the curve; anew: not of the curve alone, the program began again.
select distinct k.series_id, e.file_id, e.line_no, null::double as step, false as anew
from training_event e
join series_member k using (file_id)
where e.kind in ('resume', 'load', 'midepoch_resume')
union all
select distinct k.series_id, k.file_id, null, e.step, false
from training_event e, series_member k
where
    e.kind in ('resume', 'load')
    and e.step > 0
    and e.file_id not in (select file_id from series_member where canonical = 'loss')
union all
-- values that are only counted, below an epoch that is one of the first again
select distinct k.series_id, e.file_id, e.line_no, null, true
from
    (
        select
            file_id,
            line_no,
            step <= 1 and lag(step) over (partition by file_id order by line_no) >= step as is_anew
        from training_mark
        where kind = 'epoch'
    ) e
join series_member k using (file_id)
where e.is_anew and k.stepped = 0
