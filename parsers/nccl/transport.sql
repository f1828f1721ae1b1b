-- view: One row per process, kind of transport (P2P | SHM | NET | COLLNET), network, and whether
-- GPUs are read directly (gdr): how many edges of its channels go over it.
select
    host,
    pid,
    kind,
    network,
    gdr,
    nccl_process.rank,
    nccl_process.gpu_index,
    edges,
    src_dst,
    via,
    file_id,
    line_no
from
    (
        select
            coalesce(host, '') as host,
            coalesce(pid, 0) as pid,
            case
                when via like 'P2P%'
                then 'P2P'
                when via like 'SHM%' or via like '%shared memory%'
                then 'SHM'
                when via like 'NET/%'
                then 'NET'
                when via like 'COLLNET%'
                then 'COLLNET'
                else via
            end as kind,
            regexp_extract(via, '^(?:NET|COLLNET)/([^/]+)/', 1) as network,
            via like '%GDRDMA%' as gdr,
            count(*) as edges,
            list(distinct(src_rank, dst_rank)) as src_dst,
            min(via) as via,
            arg_min(file_id, line_no) as file_id,
            min(line_no) as line_no
        from nccl_channel
        group by 1, 2, 3, 4, 5
    )
left join nccl_process using (host, pid)
