-- table: One row: the ranks of which a monitor of the job's workers says that it no longer hears
-- from them, where training did not go on.
select
    'monitor' as source,
    'unheard' as finding,
    list_sort(list(distinct worker)) as ranks,
    []::varchar[] as hosts,
    []::bigint[] as pids,
    'host' as side,
    'outside' as place,
    'probable' as grade,
    min(time) - to_seconds(max(seconds)::bigint) as "at",
    max(seconds)::bigint as seconds,
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence
from worker_unheard u
where
    worker is not null
    and not exists (from metric_span m where m.file_id = u.file_id and m.last_line > u.line_no)
having count(*) > 0
