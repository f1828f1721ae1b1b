-- table: One row per communicator with ranks that stopped calling collectives before the others, by
-- NCCL_DEBUG_SUBSYS=COLL. A job that is killed at work stops its ranks at slightly different counts
-- too: only where something is said of a hang does it count.
with
    counted as (
        select *, min(calls) over one as low, max(calls) over one as high, count(*) over one as seen
        from nccl_call_count
        where not ambiguous
        window one as (partition by comm_key)
    ),
    member as (
        select c.*, g.rank as job_rank, calls = low as is_behind
        from counted c
        left join
            nccl_global_rank g
            on g.host = c.host
            and g.pid = c.pid
            and g.gpu_index is not distinct from c.gpu_index
        where
            low < high
            and exists (
                from trouble_sign where sign in ('timeout', 'heartbeat', 'abort', 'exception')
            )
    ),
    -- What the others called where those behind did not.
    next_call as (
        select c.comm_key, mode(c.op) as op
        from collective_call c
        join
            (select distinct comm_key, low from member) m
            on m.comm_key = c.comm_key
            and c.seq = m.low + 1
        group by c.comm_key
    )
select
    'nccl calls' as source,
    'fewer_calls' as finding,
    (list(job_rank order by job_rank) filter (is_behind and job_rank is not null))::bigint[
    ] as ranks,
    list(distinct host order by host) filter (is_behind) as hosts,
    list(distinct pid order by pid) filter (is_behind) as pids,
    comm_key as grp,
    max(low) + 1 as seq,
    coalesce(any_value(next_call.op), arg_max(last_op, calls)) as op,
    'host' as side,
    case when max(low) = 0 then 'init' else 'outside' end as place,
    case
        when
            max(seen) = max(nranks)
            and exists (from trouble_sign where sign in ('timeout', 'heartbeat', 'abort'))
        then 'probable'
        else 'possible'
    end as grade,
    min(last_time) filter (is_behind) as "at",
    max(low) as reached,
    max(high) as furthest,
    list(line_at(file_id, line_no) order by is_behind desc, comm_rank)[:20] as evidence
from member
left join next_call using (comm_key)
group by comm_key
-- A minority that lags is suspect; a majority that lags waits for something else.
having count(*) filter (is_behind) * 2 < count(*) and not bool_or(ended)
