-- table: One row per communicator and rank: how many collective calls it logged
-- (NCCL_DEBUG_SUBSYS=COLL), and the last of them. Lines are counted, never opCount: that is shared
-- within a group and does not move on one node. A progress bar may be glued to the host's name, so
-- the name must only end alike.
with
    counted as (
        select
            file_id,
            coalesce(host, '') as host,
            coalesce(pid, 0) as pid,
            comm,
            max(nranks) as nranks,
            max(rank) as rank,
            sum(1 + coalesce(left_out, 0)) filter (op not in ('Send', 'Recv')) as calls,
            sum(1 + coalesce(left_out, 0)) as all_calls,
            max(line_no) as last_line,
            arg_max(op, line_no) as last_op,
            max(time) as last_time
        from nccl_call
        group by all
    )
select
    r.comm_key,
    r.comm_rank,
    r.nranks,
    r.host,
    r.pid,
    r.comm,
    r.gpu_index,
    r.ambiguous,
    r.ends > 0 as ended,
    coalesce(sum(c.calls), 0)::bigint as calls,
    sum(c.all_calls)::bigint as all_calls,
    arg_max(c.last_op, c.last_line) as last_op,
    max(c.last_time) as last_time,
    arg_max(c.file_id, c.last_line) as file_id,
    max(c.last_line) as line_no
from counted c
join
    nccl_rank r
    on r.pid = c.pid
    and r.comm = c.comm
    and (r.host = c.host or ends_with(c.host, r.host))
where r.starts + r.completes > 0  -- else the log begins later than the communicator
group by all
