-- view: One row per run whose last loss of training is no number, as its tracker prints it when
-- the run ends: of_run = its name; of_several: other runs ended in this file, and not so.
with
    ended as (
        select
            s.*,
            (
                select arg_min(n.message, n.line_no)
                from training_mark n
                where
                    n.kind = 'run_named'
                    and n.file_id = s.file_id
                    and n.line_no - s.line_no between 1 and 60
            ) as of_run
        from training_mark s
        where
            s.kind = 'nan_summary'
            and not regexp_matches(s.message, '(?i)(^|[^a-z])(val|valid|validation|eval|test|dev)')
    )
select
    file_id,
    line_no,
    time,
    rank,
    host,
    message,
    of_run,
    (select count(*) from training_mark n where n.kind = 'run_named' and n.file_id = e.file_id)
    > count(distinct of_run) over (partition by file_id) as of_several
from ended e
where of_run is not null
qualify row_number() over (partition by file_id, of_run order by line_no) = 1
