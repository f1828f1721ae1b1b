/*
title       = "NCCL uses a slow transport"
severity    = "warning"
confidence  = "probable"
status      = "stable"
about       = """
Nodes talk over TCP sockets although a training job needs RDMA, or some GPUs of a job lack the direct path that the others have.
"""
remedy      = """
Find out why RDMA was not used: is the HCA visible in the container (/dev/infiniband, `ibv_devices`), is the network plugin there (libnccl-net.so, aws-ofi-nccl),
does NCCL_IB_DISABLE, NCCL_NET or NCCL_IB_HCA keep it away? NCCL_DEBUG_SUBSYS=INIT,NET tells what was found.
"""
false_positives = "The cluster has nothing faster than Ethernet without RDMA, and that is known."
references  = ["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"]
*/
with
    of_process as (select host, pid, max(nnodes) as nnodes from nccl_topology group by all),
    of_size as (select host, pid, max(nranks) as nranks from nccl_comm group by all),
    spread as (select max(len(hosts)) as hosts from communicator where not ambiguous),
    sockets as (  -- between nodes: an edge over the network, or the choice of the network where the communicator spans nodes
        select t.host, t.pid, t.file_id, t.line_no, 'edge' as how
        from transport t
        where t.kind = 'NET' and t.network = 'Socket'
        union all
        select coalesce(n.host, ''), coalesce(n.pid, 0), n.file_id, n.line_no, 'choice'
        from nccl_network n
        where n.event = 'chosen' and trim(n.network) = 'Socket'
    ),
    slow as (
        select
            s.*,
            coalesce(
                p.nnodes,
                case when how = 'edge' then 2 end,
                case when nranks > 16 then 2 end,
                (select hosts from spread)
            ) as nnodes,
            z.nranks
        from sockets s
        left join of_process p using (host, pid)
        left join of_size z using (host, pid)
    ),
    reason as (
        select
            line_at(file_id, line_no) as at_line,
            host,
            'no InfiniBand or RoCE device was found' as why,
            1 as weight
        from nccl_network
        where event = 'no_device' and network = 'IB'
        union all
        select line_at(file_id, line_no), host, name || ' = ' || value, 0
        from setting
        where
            (name = 'NCCL_IB_DISABLE' and value = '1')
            or (name = 'NCCL_NET' and value ilike 'socket')
        union all
        select
            line_at(file_id, line_no),
            host,
            'the network plugin ' || network || ' could not start',
            2
        from nccl_network
        where event = 'plugin_failed'
    ),
    gdr as (  -- GPUs that lack GPUDirect RDMA where others of the job have it
        select host, bool_or(gdr) as has_gdr, arg_min(line_at(file_id, line_no), line_no) as at_line
        from transport
        where kind = 'NET' and network not in ('', 'Socket')
        group by host
    )
select
    format(
        '{} ranks on {} nodes talk over TCP sockets{}',
        coalesce(max(nranks)::varchar, 'the'),
        max(nnodes),
        coalesce(': ' || (select arg_min(why, weight) from reason), '')
    ) as summary,
    list_concat(
        coalesce(list(line_at(file_id, line_no) order by file_id, line_no)[:10], []),
        coalesce(
            (select list(at_line) from (select at_line from reason order by weight limit 3)), []
        )
    ) as evidence,
    list(distinct host order by host) filter (host <> '') as hosts,
    'Socket' as network,
    max(nranks) as nranks,
    max(nnodes) as nnodes,
    (select arg_min(why, weight) from reason) as reason,
    case when (select count(*) from reason) > 0 then 'definite' else 'probable' end as confidence,
    -- A job that ended in a failure did not fail of being slow.
    case
        when
            exists (from trouble_sign)
            or exists (from nccl_socket where event in ('closed_by_peer', 'io_failed'))
        then 'info'
    end as severity
from slow
where nnodes > 1
having count(*) > 0
union all by name
select
    format(
        '{} reach{} the network without GPUDirect RDMA, which {} has',
        array_to_string(list(host order by host) filter (not has_gdr), ', '),
        case when count(*) filter (not has_gdr) = 1 then 'es' else '' end,
        min(host) filter (has_gdr)
    ) as summary,
    list(at_line order by has_gdr) as evidence,
    list(host order by host) filter (not has_gdr) as hosts,
    'no GPUDirect RDMA' as reason,
    'probable' as confidence
from gdr
having count(*) filter (not has_gdr) between 1 and count(*) filter (has_gdr)
