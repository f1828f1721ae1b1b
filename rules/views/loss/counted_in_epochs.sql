-- table: One row per curve whose places are epochs or episodes (unit): its lines count nothing
-- else, or the epoch that they print is the step wherever it is printed.
with
    line_of_epoch as (
        select file_id, line_no, null::double as epoch
        from training_line
        where trainer in ('keras', 'epoch_line') or trainer = 'columns' and epoch_no is not null
        union all
        select file_id, l.line_no, h.step as epoch
        from head_step h
        join (select rowid as line_id, line_no from training_line) l using (line_id)
        where h.kind = 'epoch'
        union all
        select
            file_id,
            line_no,
            try_cast(
                regexp_extract(
                    text, '(?i)(?:^|[^a-z])epoch[ :=#\[]*([0-9]{1,9})(?:[^0-9.]|$)', 1
                ) as double
            ) as epoch
        from unread_metric
        where
            regexp_matches(text, '(?i)(^|[^a-z])epoch[ :=#\[]*[0-9]')
            and not regexp_matches(text, '(?i)(^|[^a-z])(iter|step|batch)')
    )
select p.series_id, 'epoch' as unit
from series_point p
left join line_of_epoch l on l.file_id = p.file_id and l.line_no = p.line_no
where p.file_id in (select file_id from line_of_epoch)
group by p.series_id
having bool_and(l.file_id is not null and p.step is not null and coalesce(l.epoch = p.step, true))
union
select p.series_id, min(e.unit) as unit
from series_point p
left join unit_of_file e using (file_id)
where exists (from unit_of_file)
group by p.series_id
having bool_and(p.step is not null and e.file_id is not null)
