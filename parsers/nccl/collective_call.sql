-- view: One row per collective call in NCCL's log (NCCL_DEBUG_SUBSYS=COLL) with its communicator,
-- rank and decoded data type and reduction; seq counts the calls of a rank within its communicator
-- from 1.
select
    r.comm_key,
    r.comm_rank,
    r.nranks,
    c.op,
    c.elements,
    coalesce(d.datatype_name, c.datatype::varchar) as datatype,
    case
        when c.op in ('AllReduce', 'Reduce', 'ReduceScatter') then coalesce(o.redop_name, 'user')
    end as redop,
    c.root,
    c.op_count,
    c.elements * d.bytes as bytes,
    sum(1 + coalesce(c.left_out, 0)) over (
        partition by r.host, r.pid, r.comm order by c.file_id, c.line_no rows unbounded preceding
    )::bigint as seq,
    r.host,
    r.pid,
    r.gpu_index,
    c.time,
    c.file_id,
    c.line_no
from nccl_call c
join
    nccl_rank r
    on r.pid = coalesce(c.pid, 0)
    and r.comm = c.comm
    and (r.host = coalesce(c.host, '') or ends_with(coalesce(c.host, ''), r.host))
left join nccl_datatype d using (datatype)
left join nccl_redop o using (redop)
where
    c.op not in ('Send', 'Recv', 'PutSignal', 'Signal', 'WaitSignal') and r.starts + r.completes > 0
