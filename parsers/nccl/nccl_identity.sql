-- view: One row per line of NCCL's init that ties a rank to its host, process and GPU, in the
-- columns of identity. cudaDev counts the devices that the process sees, nvmlDev (2.18 and later)
-- those of the host.
select
    g.file_id,
    g.line_no,
    g.host,
    nullif(g.pid, 0) as pid,
    g.rank,
    g.world_size,
    g.cuda_device,
    n.gpu_index,
    g.bus_id as gpu,
    'nccl init' as learnt_from
from nccl_global_rank g
left join
    (
        select
            coalesce(host, '') as host, coalesce(pid, 0) as pid, bus_id, max(gpu_index) as gpu_index
        from nccl_comm
        where gpu_index is not null
        group by all
    ) n using (host, pid, bus_id)
