/*
title = "RDMA transfers fail (InfiniBand, RoCE, EFA, Slingshot)"
severity = "critical"
confidence = "definite"
status = "stable"
explains = [
  "hang",
  "network.peer_lost",
  "crash.exception",
  "crash.signal",
  "loss.rollback",
  "host.node_check",
]
lasting = true
about = """
A work request ended in error, or the RDMA device reported a fatal event. Status 12 (retries
exceeded, vendor error 129): the peer or the path to it did not answer - cable, switch, RoCE
congestion settings, or the peer is gone. Status 13: the peer had posted no receive, it hangs or
died. Status 4, 8 and 10 are about access to memory, not about cables. Status 5 only echoes an
earlier error. The address is that of the peer's control socket; the GIDs and the HCA tell which
rail it was.
"""
false_positives = """
The peer's process died first and its end is not in these logs: status 12 and 13 then echo that.
"""
references = [
  "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-ib-timeout",
  "https://github.com/linux-rdma/rdma-core/blob/master/libibverbs/verbs.h",
]
summary = '''
{% if source == 'kernel' %}RDMA of the kernel itself (storage, IPoIB)
{% elif event %}The RDMA {{ hosts | agree('device', 'devices') }}{% elif verb %}RDMA
{% else %}RDMA transfers{% endif %}
{% if hosts | length > 1 %}of {{ hosts | names }}
{% elif host %}{{ 'on' if event or verb else 'from' }} {{ host }}
{%- if gpu %} (GPU {{ gpu }}){% endif %}{% endif %}
{% if peers %}to {{ peers | length }} peers{% if peer_host %}, first to {{ peer_host }},{% endif %}
{% elif peer and not event %}to
{% if peer_host %}{{ peer_host }} ({{ peer }}){% else %}{{ peer }}{% endif %}{% endif %}
{% if event %}reported the event "{{ event }}"{% if status_name %}, then transfers
{% if peer %}to {{ peer_host or peer }}{% endif %} failed:
status {{ status }} {{ status_name }}{% endif %}
{% elif verb %}could not be set up: {{ verb }} failed{% if error %} ({{ error }}){% endif %}
{% elif status_name %}failed: {{ meaning }} (status {{ status }} {{ status_name }}
{%- if vendor_err %}, vendor error {{ vendor_err }}{% endif %}
{%- if other_statuses %}, and {{ other_statuses | names }}{% endif %})
{% else %}failed{% if error %}: {{ error }}{% if source == 'cxi' %} ({{ meaning }}){% endif %}
{%- endif %}{% endif %}'''

[[step]]
when = "peer and peer.startswith('LID ')"
say = '''See which host has the port with {{ peer }}: ask the subnet on any host of it.'''
run = ["smpquery nodedesc {{ peer | replace('LID ', '') }}"]

[[step]]
when = "hosts | length > 1 and peer and not peers and source == 'nccl'"
say = '''Look at {{ peer_host or peer }} first: {{ hosts | length }} hosts report errors, all
towards it.'''

[[step]]
when = '''status_name in ('RETRY_EXC_ERR', 'RESP_TIMEOUT_ERR')
or 'RETRY_EXC_ERR' in (other_statuses or [])'''
say = '''Find out whether
{{ 'the peer of each' if other_statuses else peer_host or peer or 'the peer' }} was still
running then: look for a crash, an Xid, an OOM kill or a reboot there. If it was, the path is at
fault: compare the port counters of both ends (symbol errors, link downed, discards, out of
sequence) and look at cable, transceiver and switch port
{%- if device %} of {{ device }}{% endif %}.'''
run = ["ibstat {{ device }}", "perfquery -x", "rdma statistic", "dmesg -T | grep -i mlx5"]

[[step]]
when = "status_name == 'RETRY_EXC_ERR' and (remote_gid or '').startswith('::ffff:')"
say = '''This is RoCE (its GID holds an IPv4 address): check PFC and ECN on the switches and the
hosts, the MTU of both ends and NCCL_IB_GID_INDEX. Raise NCCL_IB_TIMEOUT or NCCL_IB_RETRY_CNT
only when these are right.'''
run = ["show_gids {{ device }}", "ping -c 3 -M do -s 8000 {{ remote_gid[7:] }}"]

[[step]]
when = "status_name == 'RNR_RETRY_EXC_ERR'"
say = '''Look at the process on {{ peer_host or peer or 'the peer' }}, not at cables: its card
answered, but no receive was posted. The process hangs, is stopped or died; get its stacks, or
read how its log ends.'''
run = ["nvidia-smi --query-compute-apps=pid,name --format=csv"]

[[step]]
when = "status_name == 'WR_FLUSH_ERR'"
say = '''Collect the logs of all other ranks: flushed requests only follow an earlier error on
the same connection, and that is not in these logs.'''

[[step]]
when = '''status_name in ('LOC_PROT_ERR', 'LOC_ACCESS_ERR', 'REM_ACCESS_ERR', 'MW_BIND_ERR')
and 'RETRY_EXC_ERR' not in (other_statuses or [])'''
say = '''Leave cables alone: the card was refused access to registered memory
{% if status_name == 'REM_ACCESS_ERR' %}on {{ peer_host or peer or 'the peer' }}{% elif host %}on
{{ host }}{% endif %}. Check that driver, nvidia_peermem (or DMA-BUF) and NCCL fit together on
both ends, then run once without GPUDirect RDMA to see whether it goes away.'''
run = [
  "lsmod | grep -E 'nvidia_peermem|nv_peer_mem'",
  "ofed_info -s",
  "export NCCL_NET_GDR_LEVEL=LOC",
]

[[step]]
when = '''status_name in ('LOC_LEN_ERR', 'LOC_QP_OP_ERR', 'REM_INV_REQ_ERR', 'REM_OP_ERR',
  'BAD_RESP_ERR', 'REM_ABORT_ERR')'''
say = '''Look for ranks that issue different collectives or sizes, or run other versions of NCCL
or its network plugin: the two ends of the connection disagreed about the message.'''
run = ["export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL"]

[[step]]
when = "event == 'port error'"
say = '''Look at the port{% if device %} of {{ device }}{% endif %}{% if host %} on
{{ host }}{% endif %}: it lost its link. Check cable and transceiver, the switch port, and
whether it flaps.'''
run = ["ibstat {{ device }}", "perfquery -x", "dmesg -T | grep -i -E 'link|mlx5'"]

[[step]]
when = "event and event != 'port error' or status_name == 'FATAL_ERR'"
say = '''Take {% if host %}{{ host }}{% else %}the host{% endif %} out of the pool until its
network card {% if device %}({{ device }}) {% endif %}is checked: the device itself reported a
fatal error. Look at the kernel log and the firmware.'''
run = [
  "@leave_out [host]",
  "dmesg -T | grep -i mlx5",
  "mlxfwmanager --query",
  "ibv_devinfo",
]

[[step]]
when = "verb == 'ibv_modify_qp'"
say = '''Check that both ends use the same network{% if device %} on {{ device }}{% endif %}:
the connection could not be set up. A time-out means that the peer's GID cannot be reached; an
invalid argument mostly a wrong NCCL_IB_GID_INDEX or a port that is down.'''
run = ["ibv_devinfo", "show_gids", "env | grep NCCL_IB_"]

[[step]]
when = "verb == 'ibv_create_qp'"
say = '''Look at the limits of the RDMA device {% if host %}on {{ host }}{% endif %}: queue
pairs and locked memory, and who uses them.'''
run = ["ulimit -l", "rdma resource show", "ibv_devinfo -v | grep -E 'max_qp|max_mr'"]

[[step]]
when = """
verb and verb not in ('ibv_create_qp', 'ibv_modify_qp', 'ibv_create_ah')
and not verb.startswith('ibv_p')
"""
say = '''Look at the RDMA device{% if host %} of {{ host }}{% endif %} itself: nothing was sent yet
when {{ verb }} failed. See whether it answers, what the kernel says of it and of its firmware,
and whether enough memory may be locked.'''
run = ["ibv_devinfo", "dmesg -T | grep -i -E 'mlx5|rdma'", "ulimit -l"]

[[step]]
when = "source == 'libfabric'"
say = '''Check the instance {% if peer %}{{ peer_host or peer }}{% else %}at the other
end{% endif %}: is it running, and did its process die first? On EFA the security group must
allow all traffic from and to itself, and all instances must be in one subnet.'''
run = ["fi_info -p efa -t FI_EP_RDM", "rdma link", "dmesg -T | grep -i efa"]

[[step]]
when = "source == 'cxi'"
say = '''Find out whether the process at the other end was still running: with it its endpoint is
gone. If it was, look at the Slingshot card{% if host %} of {{ host }}{% endif %} and at that of
the peer: the state of the link, what the kernel says of it.'''
run = ["cxi_stat", "dmesg -T | grep -i cxi"]

[[step]]
when = "source == 'kernel'"
say = '''Look at what uses RDMA in the kernel of {{ host or 'that host' }} (NFS, Lustre, IPoIB)
and at the port{% if device %} of {{ device }}{% endif %}: the training itself may not have
noticed.'''
run = [
  "ibstat {{ device }}",
  "rdma resource show qp",
  "dmesg -T | grep -i -E 'mlx5|rdma|lustre|nfs'",
]

[[step]]
otherwise = true
say = '''Look at both ends at that time: port counters, the kernel log for mlx5 and Xid lines,
the switch port.'''
run = ["ibstat {{ device }}", "perfquery -x", "dmesg -T | grep -i -E 'mlx5|xid'"]
*/
with
    first_failure as (
        -- The earliest is nearest to the cause; without times, the one about the peer that most
        -- hosts complain of.
        select *, count(*) over () as times
        from rdma_failure
        qualify
            row_number() over (order by time nulls last, hosts_of_peer desc, file_id, line_no) = 1
    ),
    first_completion as (
        -- Where a device's event is first, the transfers that failed with it tell the peer.
        select *
        from rdma_failure
        where status is not null
        qualify
            row_number() over (order by time nulls last, hosts_of_peer desc, file_id, line_no) = 1
    ),
    everybody as (
        select
            -- a device that reports an event is at fault, not those that miss its answers
            coalesce(
                list(distinct host order by host) filter (host is not null and event is not null),
                list(distinct host order by host) filter (host is not null)
            ) as hosts,
            list(distinct job_rank order by job_rank) filter (job_rank is not null) as ranks,
            coalesce(
                list(distinct gpu::varchar order by gpu::varchar) filter (
                    gpu is not null and event is not null
                ),
                list(distinct gpu::varchar order by gpu::varchar) filter (gpu is not null)
            ) as gpus,
            list(distinct peer order by peer) filter (peer is not null) as peers,
            list(distinct pid order by pid) filter (pid is not null) as pids,
            min(time) as at,
            max(time) as until,
            list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence,
            bool_and(source = 'kernel') as by_kernel,
            bool_and(status is null and error = 'completion with error') as is_untold,
            bool_or(event is not null) as has_event
        from rdma_failure
    ),
    -- MPI says which rank of a host died of it, where that is one
    died as (
        select m.host, list(distinct m.rank) as ranks
        from library_message m
        where m.library = 'mpi' and m.fatal and m.host is not null and m.rank is not null
        group by m.host
        having count(distinct m.rank) = 1
    )
select
    l.evidence,
    l.at,
    l.until,
    coalesce(l.ranks, m.ranks) as ranks,
    l.hosts,
    l.gpus,
    l.pids,
    f.source,
    coalesce(f.status, c.status) as status,
    coalesce(f.status_name, c.status_name) as status_name,
    coalesce(f.meaning, c.meaning) as meaning,
    (
        select list(distinct o.status_name order by o.status_name)
        from rdma_failure o
        where
            o.status_name <> coalesce(f.status_name, c.status_name) and not coalesce(o.echo, false)
    ) as other_statuses,
    coalesce(f.vendor_err, c.vendor_err) as vendor_err,
    coalesce(f.peer, c.peer) as peer,
    case when len(l.peers) > 1 then l.peers end as peers,
    a.host as peer_host,
    coalesce(nullif(f.hca, ''), c.hca) as device,
    f.event,
    f.verb,
    f.error,
    -- who the lines speak against: a card that reports an event, the one host that reaches none of
    -- its peers, the one peer that several do not reach; else either end, or what is between them
    case
        when l.has_event
        then 'device'
        when len(l.hosts) = 1 and len(l.peers) > 1
        then 'host'
        when len(l.hosts) > 1 and len(l.peers) = 1
        then 'peer'
        else 'path'
    end as points_at,
    coalesce(f.local_gid, c.local_gid) as local_gid,
    coalesce(f.remote_gid, c.remote_gid) as remote_gid,
    f.times,
    -- only flushed requests: the error they follow is not in these logs; or which error it was is
    -- not told
    case
        when f.status_name = 'WR_FLUSH_ERR' or (f.source = 'ucx' and l.is_untold)
        then 'possible'
        when l.by_kernel or f.source = 'told'
        then 'probable'
    end as confidence,
    case when f.status_name = 'WR_FLUSH_ERR' or l.by_kernel then 'warning' end as severity
from first_failure f
cross join everybody l
left join first_completion c on true
left join address_host a on a.address = coalesce(f.peer, c.peer)
left join died m on l.hosts = [m.host] and len(l.pids) = 1
