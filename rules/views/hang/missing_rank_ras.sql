-- table: One row per communicator and finding of NCCL RAS that two snapshots confirm: ranks whose
-- operation counts are behind those of the others, and ranks that have not called for the end of
-- the communicator that most others are ending.
select
    'ras' as source,
    'behind_in_snapshots' as finding,
    ranks_behind::bigint[] as ranks,
    hosts_behind as hosts,
    pids_behind as pids,
    comm_hash as grp,
    count_behind + 1 as seq,
    op,
    null::varchar as side,
    null::varchar as place,
    'probable' as grade,
    time as "at",
    count_behind as reached,
    count_ahead as furthest,
    lines as evidence
from ras_count
where latest and stalled and len(ranks_behind) = n_behind and n_behind * 2 < nranks
union all by name
select
    'ras' as source,
    'not_finalized' as finding,
    r.ranks::bigint[] as ranks,
    r.hosts,
    r.pids,
    r.comm_hash as grp,
    'finalize' as op,
    'host' as side,
    'outside' as place,
    'possible' as grade,
    r.time as "at",
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
