-- view: A port of a network device went down or came up. Ports and links that went down or came up,
-- whoever saw it.
select
    'nccl' as source,
    host,
    hca,
    hca_port,
    case when event = 'port error' then 'down' else 'up' end as event,
    '' as boot,
    time,
    file_id,
    line_no
from nccl_ib_event
where event in ('port error', 'port active')
union all
select 'kernel', host, device, null, event, boot, time, file_id, line_no
from kernel_link_event
