-- table: One row per attempt that torchelastic's launcher tells of as failed, in a log of its own,
-- where the folders of its workers' logs number the attempts: it names the first worker that failed
-- once in each.
select
    e.file_id,
    e.line_no,
    row_number() over (partition by e.file_id order by e.line_no) as attempt,
    l.last_attempt
from "exit" e
cross join (select distinct last_attempt from elastic_log) l
where
    e.source = 'torchelastic'
    and e.process is not null
    and e.file_id not in (select file_id from elastic_log)
qualify count(*) over (partition by e.file_id) between l.last_attempt - 1 and l.last_attempt
