-- table: One row: the ranks that NVRx's monitors ended, for they had sent no heartbeat, or had not
-- left a section of the program, for too long, where training did not go on. A rank that waits for
-- another one is silent alike.
select
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no)[:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    max(seconds) as seconds,
    case when bool_and(stage = 'initial') then true end as never_heard,
    case when count(distinct section) = 1 then any_value(section) end as section
from worker_unheard u
where
    stage is not null
    and not exists (from metric_span m where m.file_id = u.file_id and m.last_line > u.line_no)
having count(*) > 0
