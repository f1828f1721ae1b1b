-- table: One row per time a port of a network device went down or came up (event), whoever saw it
-- (source: nccl | kernel). boot: which boot of the host, where the kernel tells.
select
    'nccl' as source,
    host,
    hca,
    hca_port,
    case when event = 'port error' then 'down' else 'up' end as event,
    '' as boot,
    time,
    null as uptime_seconds,
    file_id,
    line_no
from nccl_ib_event
where event in ('port error', 'port active')
union all
select 'kernel', host, device, null, event, boot, time, uptime_seconds, file_id, line_no
from kernel_link_event
