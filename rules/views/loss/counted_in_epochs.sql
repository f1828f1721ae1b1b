-- table: One row per curve whose places are epochs (unit): its lines count nothing else, or the
-- epoch that they print is the step wherever it is printed.
with
    line as (
        select
            file_id,
            line_no,
            trainer in ('keras', 'epoch_line')
            or trainer = 'columns'
            and epoch_no is not null as is_of_epoch,
            null::double as epoch
        from training_line
        union all by name
        select
            file_id,
            line_no,
            not regexp_matches(text, '(?i)(^|[^a-z])(iter|step|batch)') as is_of_epoch,
            try_cast(
                regexp_extract(
                    text, '(?i)(?:^|[^a-z])epoch[ :=#\[]*([0-9]{1,9})(?:[^0-9.]|$)', 1
                ) as double
            ) as epoch
        from unread_metric
        where regexp_matches(text, '(?i)(^|[^a-z])epoch[ :=#\[]*[0-9]')
    ),
    judged as (
        select file_id, line_no, bool_and(is_of_epoch) as is_of_epoch, max(epoch) as epoch
        from line
        where file_id in (select file_id from line where is_of_epoch)
        group by file_id, line_no
    ),
    equal as (
        select file_id
        from metric
        where canonical = 'epoch'
        group by file_id
        having bool_and(value is not distinct from step) and count(distinct value) >= 3
    )
select p.series_id, 'epoch' as unit
from series_point p
left join judged l on l.file_id = p.file_id and l.line_no = p.line_no
where p.file_id in (select file_id from judged)
group by p.series_id
having
    bool_and(
        coalesce(l.is_of_epoch and coalesce(l.epoch = p.step, true), false) and p.step is not null
    )
union
select p.series_id, 'epoch' as unit
from series_point p
where exists (from equal)
group by p.series_id
having bool_and(p.step is not null and p.file_id in (select file_id from equal))
