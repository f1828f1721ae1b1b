/*
title       = "RDMA transfers fail (InfiniBand, RoCE, EFA)"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network.peer_lost", "crash.exception", "crash.signal", "loss.rollback"]
about       = """
A work request ended in error, or the RDMA device reported a fatal event. Status 12 (retries exceeded, vendor error 129): the peer or the
path to it did not answer - cable, switch, RoCE congestion settings, or the peer is gone. Status 13: the peer had no receive posted, it hangs
or died. Status 5 is the echo of an earlier error and says nothing. The address is that of the peer's control socket; the GIDs and the HCA tell the rail.
"""
remedy      = """
Look at both ends of the named pair at that time: `ibstat`, `rdma link`, port counters (`perfquery -x`, `ethtool -S`: symbol errors, link downed,
discards, out of sequence), the kernel log for mlx5 and Xid lines, the switch port. If many hosts name one peer, that peer is the suspect. For RoCE check
PFC / ECN, MTU and NCCL_IB_GID_INDEX; only then raise NCCL_IB_TIMEOUT / NCCL_IB_RETRY_CNT.
"""
false_positives = "The peer's process died first and its end is not in the logs: status 12 and 13 are then the echo of that."
references  = ["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-ib-timeout", "https://github.com/linux-rdma/rdma-core/blob/master/libibverbs/verbs.h"]
*/
with
    flaps as (select host, hca from link_event where event = 'up'),
    trouble as (
        select
            i.ib_status as status,
            s.status_name,
            s.meaning as what,
            i.vendor_err,
            i.peer,
            i.hca,
            i.local_gid,
            i.remote_gid,
            null as event,
            i.host,
            i.pid,
            i.rank,
            i.device_hint,
            i.time,
            i.file_id,
            i.line_no
        from nccl_ib_error i
        left join ib_wc_status s using (ib_status)
        where
            not coalesce(s.echo, false)
            or not exists (from nccl_ib_error o where o.ib_status is distinct from i.ib_status)
        union all by name
        select
            event,
            'device event: ' || event as what,
            hca,
            host,
            pid,
            rank,
            device_hint,
            time,
            file_id,
            line_no
        from nccl_ib_event
        where
            regexp_matches(
                event,
                'catastrophic|CQ error|access violation|invalid request|device fatal|QP fatal'
            )
            or (
                event = 'port error'
                and not exists (
                    from flaps f
                    where
                        f.host = nccl_ib_event.host and f.hca is not distinct from nccl_ib_event.hca
                )
            )
        union all by name
        select
            code as status,
            error as what,
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
        union all by name
        select
            verb || ' failed' || coalesce(': ' || nullif(error, ''), '') as what,
            regexp_extract(error, 'dev ([a-z0-9_]+)', 1) as hca,
            host,
            pid,
            rank,
            device_hint,
            time,
            file_id,
            line_no
        from nccl_verbs_failure
        where
            verb = 'ibv_modify_qp'
            or (
                verb = 'ibv_create_qp'
                and not regexp_matches(error, 'Cannot allocate memory|\b12\b')
            )  -- that one is the limit of locked memory
        union all by name
        -- The kernel's own users of RDMA (storage, IPoIB); the card numbers its syndromes
        -- otherwise than the verbs their status.
        select
            w.ib_status as status,
            w.status_name,
            w.meaning || ', says the kernel' as what,
            k.device as hca,
            k.host,
            k.time,
            k.file_id,
            k.line_no,
            true as by_kernel
        from kernel_event k
        join
            ib_wc_status w
            on w.ib_status = case
                k.message
                when '0x1'
                then 1
                when '0x2'
                then 2
                when '0x4'
                then 4
                when '0x10'
                then 7
                when '0x11'
                then 8
                when '0x12'
                then 9
                when '0x13'
                then 10
                when '0x14'
                then 11
                when '0x15'
                then 12
                when '0x16'
                then 13
                when '0x22'
                then 16
            end
        where k.kind = 'ib_syndrome' and k.device is not null  -- an Ethernet queue that stumbles is set right by its driver
    ),
    known as (
        select
            t.*,
            coalesce(t.rank, p.rank) as job_rank,
            coalesce(p.gpu_index, t.device_hint) as gpu,
            count(distinct t.host) over (partition by t.peer) as hosts_of_peer
        from trouble t
        left join nccl_process p on p.host = t.host and p.pid = t.pid
    ),
    first as (
        -- The earliest is nearest to the cause; without times, the one about the peer that most
        -- hosts complain of.
        select *, count(*) over () as times
        from known
        qualify
            row_number() over (order by time nulls last, hosts_of_peer desc, file_id, line_no) = 1
    ),
    completion as (  -- a device's event stands first, and the transfers that failed with it tell the peer
        select *
        from known
        where status is not null
        qualify
            row_number() over (order by time nulls last, hosts_of_peer desc, file_id, line_no) = 1
    ),
    all_of as (
        select
            list(distinct host order by host) filter (host is not null) as hosts,
            list(distinct job_rank order by job_rank) filter (job_rank is not null) as ranks,
            list(distinct gpu::varchar order by gpu::varchar) filter (gpu is not null) as gpus,
            list(distinct peer order by peer) filter (peer is not null) as peers,
            min(time) as at,
            max(time) as until,
            list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence,
            bool_and(coalesce(by_kernel, false)) as by_kernel
        from known
    )
select
    format(
        'RDMA error on {}{}{}: {}{}',
        coalesce(f.host, 'a host'),
        case when f.gpu is not null then ' GPU ' || f.gpu else '' end,
        case
            when f.peer is not null
            then ' towards ' || coalesce(a.host || ' (' || f.peer || ')', f.peer)
            else ''
        end,
        case
            when f.status_name is not null
            then 'status ' || f.status || ' ' || f.status_name || ', ' || f.what
            else f.what
        end,
        case when len(l.hosts) > 1 then '; ' || len(l.hosts) || ' hosts report errors' else '' end
    ) as summary,
    l.evidence,
    l.at,
    l.until,
    l.ranks,
    l.hosts,
    l.gpus,
    coalesce(f.status, c.status) as status,
    coalesce(f.status_name, c.status_name) as status_name,
    coalesce(f.vendor_err, c.vendor_err) as vendor_err,
    coalesce(f.peer, c.peer) as peer,
    case when len(l.peers) > 1 then l.peers end as peers,
    a.host as peer_host,
    coalesce(nullif(f.hca, ''), c.hca) as device,
    f.event,
    coalesce(f.local_gid, c.local_gid) as local_gid,
    coalesce(f.remote_gid, c.remote_gid) as remote_gid,
    f.times,
    -- only flushed requests: the error they follow is not in these logs
    case
        when f.status_name = 'WR_FLUSH_ERR' then 'possible' when l.by_kernel then 'probable'
    end as confidence,
    case when f.status_name = 'WR_FLUSH_ERR' or l.by_kernel then 'warning' end as severity
from first f
cross join all_of l
left join completion c on true
left join address_host a on a.address = coalesce(f.peer, c.peer)
