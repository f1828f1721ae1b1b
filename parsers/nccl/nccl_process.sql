-- table: One row per process that NCCL's output shows: its rank and GPU, as far as that tells. The
-- device in NCCL's prefix counts only where nothing better is known.
with
    known as (
        select host, pid, list(distinct rank) as ranks, list(distinct gpu_index) as gpus
        from nccl_global_rank
        group by all
    ),
    init as (
        select
            host,
            pid,
            list(distinct gpu_index) filter (gpu_index is not null) as gpus,
            max(wrapper_rank) as rank
        from nccl_rank
        group by all
    ),
    hint as (
        select host, pid, device_hint, rank
        from nccl_result
        union all
        select host, pid, device_hint, rank
        from nccl_socket
        union all
        select host, pid, device_hint, rank
        from nccl_ib_error
        union all
        select host, pid, device_hint, rank
        from nccl_ofi_error
        union all
        select host, pid, device_hint, rank
        from nccl_cuda_failure
        union all
        select host, pid, device_hint, rank
        from nccl_shm_failure
        union all
        select host, pid, device_hint, rank
        from nccl_warning
    ),
    hinted as (
        select host, pid, list(distinct device_hint) as gpus, max(rank) as rank
        from hint
        where device_hint >= 0
        group by all
    ),
    process as (
        select host, pid
        from known
        union
        select host, pid
        from init
        union
        select host, pid
        from hinted
    )
select
    host,
    pid,
    coalesce(case when len(k.ranks) = 1 then k.ranks[1] end, i.rank, h.rank) as rank,
    case
        when len(k.gpus) = 1
        then k.gpus[1]
        when len(i.gpus) = 1
        then i.gpus[1]
        when i.gpus is null and len(h.gpus) = 1
        then h.gpus[1]
    end as gpu_index
from process
left join known k using (host, pid)
left join init i using (host, pid)
left join hinted h using (host, pid)
