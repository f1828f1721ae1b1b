-- table: One row per host where a program on Gaudi cards (intel), Intel GPUs or Moore Threads'
-- accessed an address that is not mapped
-- (error = page fault) or its work did not end in time (timeout).
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    case when host is not null then [host] else [] end as hosts,
    list_sort(list(distinct gpu) filter (gpu is not null)) as gpus,
    case when bool_or(kind = 'page_fault') then 'critical' else 'warning' end as severity,
    vendor,
    case when bool_or(kind = 'page_fault') then 'page fault' else 'timeout' end as error,
    count(*) as lines
from accelerator_event
where kind in ('page_fault', 'timeout')
group by host, file_id, vendor
