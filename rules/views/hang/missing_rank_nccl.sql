-- table: Ranks that stopped before the others, from COLL lines and RAS, in the shape of
-- missing_rank_suspect. Suspects for hang.missing_rank from NCCL's own output: ranks that stopped
-- calling before the others, and ranks RAS sees behind in two snapshots. Only where the job is
-- known to have ended badly, or to stand still.
with
    hung as (  -- a job that is killed at work stops its ranks at slightly different counts: only what is said of a hang counts
        from trouble_sign where sign in ('timeout', 'heartbeat', 'abort', 'exception')
    ),
    counted as (
        select *, min(calls) over one as low, max(calls) over one as high, count(*) over one as seen
        from nccl_call_count
        where not ambiguous
        window one as (partition by comm_key)
    ),
    split as (
        select c.*, g.rank as job_rank, calls = low as behind
        from counted c
        left join
            nccl_global_rank g
            on g.host = c.host
            and g.pid = c.pid
            and g.gpu_index is not distinct from c.gpu_index
        where low < high and exists (from hung)
    ),
    next_op as (  -- what the others called where the laggards did not
        select c.comm_key, mode(c.op) as waits_in
        from collective_call c
        join
            (select distinct comm_key, low from split) s
            on s.comm_key = c.comm_key
            and c.seq = s.low + 1
        group by c.comm_key
    ),
    coll as (
        select
            'nccl calls' as source,
            list(job_rank order by job_rank) filter (behind and job_rank is not null) as ranks,
            list(distinct host order by host) filter (behind) as hosts,
            list(distinct pid order by pid) filter (behind) as pids,
            comm_key as grp,
            max(low) + 1 as seq,
            coalesce(any_value(waits_in), arg_max(last_op, calls)) as op,
            'host' as side,
            case when max(low) = 0 then 'init' else 'outside' end as place,
            case
                when
                    max(seen) = max(nranks)
                    and exists (from hung where sign in ('timeout', 'heartbeat', 'abort'))
                then 'probable'
                else 'possible'
            end as grade,
            min(last_time) filter (behind) as at,
            format(
                'rank(s) {} of the communicator logged {} collective calls, the others up to {}',
                ranges(list(comm_rank) filter (behind)),
                max(low),
                max(high)
            ) as said,
            list(line_at(file_id, line_no) order by behind desc, comm_rank)[:20] as evidence
        from split
        left join next_op using (comm_key)
        group by comm_key
        -- a minority that lags is suspect; a majority that lags waits for something else
        having count(*) filter (behind) * 2 < count(*) and not bool_or(ended)
    )
select
    source,
    ranks::bigint[] as ranks,
    hosts,
    pids,
    grp,
    seq,
    op,
    side,
    place,
    grade,
    "at",
    said,
    evidence
from coll
union all by name
select
    'ras' as source,
    ranks_behind::bigint[] as ranks,
    hosts_behind as hosts,
    pids_behind as pids,
    comm_hash as grp,
    count_behind + 1 as seq,
    op,
    null::varchar as side,
    null::varchar as place,
    'probable' as grade,
    time as at,
    format(
        'RAS: rank(s) {} stand at {} operation {} in two snapshots, the others at {}',
        ranges(ranks_behind),
        coalesce(op, 'collective'),
        count_behind,
        count_ahead
    ) as said,
    lines as evidence
from ras_count
where latest and stalled and len(ranks_behind) = n_behind and n_behind * 2 < nranks
union all by name
select
    'ras' as source,
    r.ranks::bigint[] as ranks,
    r.hosts,
    r.pids,
    r.comm_hash as grp,
    'finalize' as op,
    'host' as side,
    'outside' as place,
    'possible' as grade,
    r.time as at,
    format(
        'RAS: the communicator is being ended by the others, rank(s) {} have not called for it in two snapshots',
        ranges(r.ranks)
    ) as said,
    r.evidence
from ras_state r
where
    r.ras_status = 'RUNNING'
    and r.latest
    and r.stalled
    and r.n * 4 <= r.nranks
    and len(r.ranks) = r.n
    and exists (
        from ras_state f
        where
            f.file_id = r.file_id
            and f.counts_line = r.counts_line
            and f.comm_hash = r.comm_hash
            and f.ras_status = 'FINALIZE'
            and f.n * 2 > f.nranks
    )
union all by name
select
    'ras dead' as source,
    null::bigint[] as ranks,
    list(distinct address order by address) as hosts,
    list(distinct pid order by pid) as pids,
    null::varchar as grp,
    null::bigint as seq,
    null::varchar as op,
    null::varchar as side,
    null::varchar as place,
    'probable' as grade,
    min(time) as at,
    format(
        'RAS: nothing answers for process(es) {} on {}',
        string_agg(distinct pid::varchar, ', '),
        string_agg(distinct address, ', ')
    ) as said,
    list(line_at(file_id, line_no) order by file_id, line_no) as evidence
from nccl_ras_process
where event in ('dead', 'PEER_DEAD')
having count(*) > 0
union all by name
select
    'ras dead' as source,
    list(distinct comm_rank order by comm_rank)::bigint[] as ranks,
    list(distinct address order by address) as hosts,
    list(distinct pid order by pid) as pids,
    comm_hash as grp,
    'probable' as grade,
    format(
        'RAS: nothing answers for rank(s) {} on {}',
        ranges(list(comm_rank)),
        string_agg(distinct address, ', ')
    ) as said,
    list(line_at(file_id, line_no) order by file_id, line_no) as evidence
from (from ras_rank where dead qualify nranks = max(nranks) over ())
group by comm_hash
union all by name
-- The inspector writes what was completed. In a job that hangs all ranks of the world's
-- communicator should stand at one number; a few
-- that stand well behind it have not finished what the others did. The last records may be lost,
-- so a step or two says nothing.
select
    'inspector' as source,
    list(comm_rank order by comm_rank) filter (last_sn < top)::bigint[] as ranks,
    list(distinct host order by host) filter (last_sn < top) as hosts,
    list(distinct pid order by pid) filter (last_sn < top) as pids,
    comm_id as grp,
    min(last_sn) + 1 as seq,
    any_value(last_op) filter (last_sn < top) as op,
    'possible' as grade,
    format(
        'NCCL inspector: the last collective that rank(s) {} completed is number {}, the others all completed {}',
        ranges(list(comm_rank) filter (last_sn < top)),
        min(last_sn),
        max(last_sn)
    ) as said,
    list(line_at(file_id, line_no) order by last_sn, comm_rank)[:10] as evidence
from
    (
        select *, max(last_sn) over c as top, count(*) over c as seen
        from nccl_inspector_last
        where nranks = (select max(nranks) from nccl_inspector_last)
        window c as (partition by comm_id)
    )
where seen = nranks and exists (from hung where sign in ('timeout', 'heartbeat', 'abort'))
group by comm_id
having
    count(*) filter (last_sn < top) between 1 and greatest(1, divide(count(*), 8))
    and max(last_sn) filter (last_sn < top) <= max(last_sn) - 3
    and count(*) >= 4
