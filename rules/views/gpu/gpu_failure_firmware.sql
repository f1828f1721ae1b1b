-- table: One row per GPU whose firmware does not answer (gsp_timeout) or that left the bus
-- (status_lost), where no Xid says which GPU it is: the driver's own count of its GPUs is all that
-- is known.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:10] as evidence,
    min(time) as "at",
    max(time) as until,
    case when host is not null then [host] else [] end as hosts,
    'probable' as confidence,
    'critical' as severity,
    'nvidia' as vendor,
    max(kind) as kind,
    case max(kind) when 'gsp_timeout' then 'firmware' end as part,
    min(message) as error,
    false as memory,
    gpu_index,
    count(*) as lines
from nvrm_event e
where
    kind in ('gsp_timeout', 'status_lost')
    and not exists (from xid_line x where x.file_id = e.file_id and x.code in (79, 119, 120))
    and not exists (
        from nvrm_event o where o.file_id = e.file_id and o.kind in ('lost', 'init_failed')
    )
group by file_id, host, gpu_index
