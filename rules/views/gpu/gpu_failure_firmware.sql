-- table: One row per GPU whose firmware (GSP) does not answer, where no Xid says which GPU it is:
-- the driver's own count of its GPUs is all that is known.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:10] as evidence,
    min(time) as "at",
    max(time) as until,
    case when host is not null then [host] else [] end as hosts,
    'probable' as confidence,
    'critical' as severity,
    'nvidia' as vendor,
    'gsp_timeout' as kind,
    'firmware' as part,
    min(message) as error,
    false as memory,
    gpu_index,
    count(*) as lines
from nvrm_event e
where
    kind = 'gsp_timeout'
    and not exists (from xid_line x where x.file_id = e.file_id and x.code in (79, 119, 120))
group by file_id, host, gpu_index
