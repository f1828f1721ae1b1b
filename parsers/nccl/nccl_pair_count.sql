-- view: One row per pair of ranks of a communicator: how often the one called Send and the other
-- Recv, where the calls are logged (NCCL_DEBUG_SUBSYS=COLL) from the communicator's beginning.
with
    one as (
        select
            r.comm_key,
            case c.op when 'Send' then r.comm_rank else c.root end as src,
            case c.op when 'Send' then c.root else r.comm_rank end as dst,
            c.op,
            1 + coalesce(c.left_out, 0) as calls,
            c.file_id,
            c.line_no
        from nccl_call c
        join
            nccl_rank r
            on r.pid = coalesce(c.pid, 0)
            and r.comm = c.comm
            and (r.host = coalesce(c.host, '') or ends_with(coalesce(c.host, ''), r.host))
        where c.op in ('Send', 'Recv') and r.starts + r.completes > 0 and not r.ambiguous
    )
select
    comm_key,
    src,
    dst,
    coalesce(sum(calls) filter (op = 'Send'), 0)::bigint as sends,
    coalesce(sum(calls) filter (op = 'Recv'), 0)::bigint as recvs,
    arg_max(line_at(file_id, line_no), line_no) filter (op = 'Send') as last_send,
    arg_max(line_at(file_id, line_no), line_no) filter (op = 'Recv') as last_recv,
    arg_max(file_id, line_no) as file_id,
    max(line_no) as line_no
from one
group by all
