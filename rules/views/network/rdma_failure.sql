-- table: One row per RDMA operation that failed (InfiniBand, RoCE, EFA), whoever reports it
-- (source: nccl | ucx | libfabric | kernel | the library of library_failure). A completion has its
-- status (status_name, meaning), a device its event, a call its verb and error; job_rank and gpu
-- are those of the process, where known.
with
    failure as (
        from rdma_failure_nccl
        union all by name
        from rdma_failure_ucx
        union all by name
        select
            'libfabric' as source,
            code as status,
            error,
            vendor_err,
            peer,
            host,
            pid,
            rank,
            device_hint,
            time,
            file_id,
            line_no
        from nccl_ofi_error
        where call is null
        union all by name
        from rdma_failure_library
        union all by name
        select
            'told' as source,
            text as error,
            coalesce(peer, 'rank ' || peer_rank) as peer,
            message_device(text) as hca,
            host,
            rank,
            time,
            file_id,
            line_no
        from communication_told
        where kind = 'transport'
        union all by name
        -- The kernel's own users of RDMA (storage, IPoIB). Without a device it is an Ethernet queue
        -- that stumbled and was set right by its driver.
        select
            'kernel' as source,
            s.ib_status as status,
            s.status_name,
            s.meaning,
            k.device as hca,
            k.host,
            k.time,
            k.file_id,
            k.line_no
        from kernel_event k
        join ib_syndrome y on y.syndrome = k.message
        join ib_wc_status s using (ib_status)
        where k.kind = 'ib_syndrome' and k.device is not null
    )
select
    f.*,
    coalesce(f.rank, p.rank) as job_rank,
    coalesce(p.gpu_index, f.device_hint) as gpu,
    count(distinct f.host) over (partition by f.peer) as hosts_of_peer
from failure f
left join nccl_process p on p.host = f.host and p.pid = f.pid
