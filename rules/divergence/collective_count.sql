/*
title       = "Ranks issued different numbers of collectives"
severity    = "warning"
confidence  = "probable"
status      = "stable"
about       = """
Some ranks of a communicator have launched more operations than others. In a running job that is a moment's difference; in two
snapshots with the same numbers, or at the end of a job that hung, the ranks behind are the ones that are waited for.
RAS names the ranks of the smaller group, and these may be the ones ahead.
"""
remedy      = """
Take a second snapshot (ncclras -v) a minute later: equal numbers mean a stall. Then look at the ranks behind - their stack (py-spy dump), log and
host - not at those ahead, which wait.
"""
false_positives = "A single snapshot of a job that is merely busy; debug output of a rank is incomplete."
references  = ["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/ras.html", "https://github.com/NVIDIA/nccl/issues/1911"]
*/
select
    format(
        '{} {} of {} launched {} {} operations, the others up to {}{}',
        case when stalled then 'No progress between snapshots:' else 'RAS:' end,
        case
            when len(ranks_behind) = n_behind
            then 'rank(s) ' || ranges(ranks_behind)
            else n_behind || ' ranks'
        end,
        nranks,
        count_behind,
        coalesce(op, 'collective'),
        count_ahead,
        case
            when len(ranks_ahead) = n_ahead and n_ahead < n_behind
            then ' (rank ' || ranges(ranks_ahead) || ' ahead)'
            else ''
        end
    ) as summary,
    lines as evidence,
    time as at,
    ranks_behind as ranks,
    comm_hash,
    comm_hash as "group",
    op,
    ranks_ahead,
    ranks_behind,
    count_ahead,
    count_behind,
    n_ahead,
    n_behind,
    nranks,
    case when stalled then 'critical' else 'warning' end as severity
from ras_count
where latest
union all by name
select
    format(
        'Ranks of a communicator of {} issued different numbers of collectives: {} to {}',
        max(nranks),
        min(calls),
        max(calls)
    ) as summary,
    [
        arg_min(line_at(file_id, line_no), calls), arg_max(line_at(file_id, line_no), calls)
    ] as evidence,
    list(comm_rank order by comm_rank) filter (calls = low) as ranks,
    comm_key as comm_hash,
    comm_key as "group",
    arg_max(last_op, calls) as op,
    list(comm_rank order by comm_rank) filter (calls = high) as ranks_ahead,
    list(comm_rank order by comm_rank) filter (calls = low) as ranks_behind,
    max(calls) as count_ahead,
    min(calls) as count_behind,
    max(nranks) as nranks,
    map_from_entries(list((comm_rank, calls) order by comm_rank)) as counts,
    'warning' as severity
from
    (
        select *, min(calls) over one as low, max(calls) over one as high
        from nccl_call_count
        where not ambiguous
        window one as (partition by comm_key)
    )
where
    low < high
    and exists (from trouble_sign where sign in ('timeout', 'heartbeat', 'abort', 'exception'))
group by comm_key
having not bool_and(ended) and count(*) > 1
