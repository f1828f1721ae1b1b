-- table: One row per line that shows traffic between nodes over TCP sockets: an edge between two
-- ranks (how: edge), or the choice of the network (choice) where the communicator spans nodes.
-- nnodes, nranks: the size of the job, as far as it is known.
with
    of_process as (select host, pid, max(nnodes) as nnodes from nccl_topology group by all),
    of_size as (select host, pid, max(nranks) as nranks from nccl_comm group by all),
    spread as (select max(len(hosts)) as hosts from communicator where not ambiguous),
    -- All ranks are on it, whatever NCCL was told to take for a node of its own (NCCL_HOSTID).
    only_host as (
        select host from nccl_comm group by host having count(distinct pid) >= max(nranks)
    ),
    sockets as (
        select t.host, t.pid, t.file_id, t.line_no, 'edge' as how
        from transport t
        where t.kind = 'NET' and t.network = 'Socket'
        union all
        select coalesce(n.host, ''), coalesce(n.pid, 0), n.file_id, n.line_no, 'choice'
        from nccl_network n
        where n.event = 'chosen' and trim(n.network) = 'Socket'
    )
select
    s.*,
    z.nranks,
    coalesce(
        case when s.host in (from only_host) then 1 end,
        p.nnodes,
        case when s.how = 'edge' then 2 end,
        -- no node has more than 16 GPUs
        case when z.nranks > 16 then 2 end,
        (select hosts from spread)
    ) as nnodes
from sockets s
left join of_process p using (host, pid)
left join of_size z using (host, pid)
