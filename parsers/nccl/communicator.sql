-- table: One row per NCCL communicator: size, nodes, the ranks seen in the logs, and which of them
-- never completed its init (incomplete), completed and ended it.
with
    nodes as (
        select n.host, n.pid, n.comm, max(n.nnodes) as nnodes from nccl_topology n group by all
    ),
    name as (select distinct host from nccl_rank),
    -- the process number of a record that was written into another one
    glued as (
        select a.host
        from name a
        join
            name b
            on a.host <> b.host
            and b.host <> ''
            and ends_with(a.host, b.host)
            and regexp_full_match(left(a.host, len(a.host) - len(b.host)), '[0-9]+')
    )
select
    r.comm_key,
    max(r.nranks) as nranks,
    max(n.nnodes) as nnodes,
    bool_or(r.ambiguous) as ambiguous,
    list(distinct r.comm_rank order by r.comm_rank) as ranks,
    list(distinct r.host order by r.host) filter (r.host not in (from glued)) as hosts,
    list(distinct r.comm_rank order by r.comm_rank) filter (r.starts > r.completes) as incomplete,
    list(distinct r.comm_rank order by r.comm_rank) filter (r.completes > 0) as completed,
    list(distinct r.comm_rank order by r.comm_rank) filter (r.ends > 0) as ended,
    min(r.started_at) as started_at,
    arg_min(r.file_id, r.line_no) as file_id,
    min(r.line_no) as line_no
from nccl_rank r
left join nodes n on n.host = r.host and n.pid = r.pid and n.comm = r.comm
group by r.comm_key
