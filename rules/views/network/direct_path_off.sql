-- table: One row per setting that keeps the GPUs of a host from reading each other's memory, where
-- they do go another way: via SHM (the memory of the host) or NET; edge_line shows it.
with
    edge as (
        select host, min(kind) as via, arg_min(line_at(file_id, line_no), line_no) as edge_line
        from transport
        where kind = 'SHM' or kind = 'NET' and network not in ('', 'Socket') and not gdr
        group by host
    ),
    several_gpus as (
        select host
        from nccl_comm
        where bus_id is not null
        group by host
        having count(distinct bus_id) > 1
    )
select s.name, s.value, s.host, s.file_id, s.line_no, e.via, e.edge_line
from setting s
join edge e on e.host = coalesce(s.host, '')
semi join several_gpus g on g.host = s.host
where
    e.via = 'SHM'
    and (
        s.name = 'NCCL_P2P_DISABLE'
        and s.value = '1'
        or s.name = 'NCCL_P2P_LEVEL'
        and s.value in ('0', 'LOC')
    )
    or e.via = 'NET'
    and s.name = 'NCCL_SHM_DISABLE'
    and s.value = '1'
