-- table: One row per snapshot of NCCL RAS, communicator and kind of operation whose counts differ
-- between ranks. ranks_ahead, ranks_behind = as far as RAS names them: of small groups only, which
-- may be the ones ahead; stalled = two snapshots with the same numbers, so nothing moves; latest =
-- the last snapshot of its communicator and operation.
with
    ras_launched as (
        select
            file_id,
            line_no,
            hash_line,
            comm_hash,
            comm_rank,
            address,
            pid,
            unnest(map_keys(counts)) as op,
            unnest(map_values(counts)) as launched
        from ras_rank
        where not missing
    ),
    reported as (
        select file_id, counts_line, comm_hash, op, time, affected, launched, line_no
        from nccl_ras_count
        union all
        select file_id, counts_line, comm_hash, op, time, 1, launched, line_no
        from nccl_ras_rank
        where launched_line is null
        union all
        select file_id, hash_line, comm_hash, op, null, 1, launched, line_no
        from ras_launched
    ),
    ranged as (
        select *, max(launched) over one as top, min(launched) over one as low
        from reported
        window one as (partition by file_id, counts_line, op)
    ),
    counts as (
        select
            file_id,
            counts_line,
            comm_hash,
            op,
            max(time) as time,
            max(launched) as count_ahead,
            min(launched) as count_behind,
            sum(affected)::bigint as nranks,
            sum(affected) filter (launched = top) as n_ahead,
            sum(affected) filter (launched = low) as n_behind,
            list(line_at(file_id, line_no) order by line_no)[:10] as evidence
        from ranged
        group by file_id, counts_line, comm_hash, op
    ),
    named_rank as (
        select file_id, counts_line, op, comm_rank, launched, address, pid, line_no
        from nccl_ras_rank
        union all
        select file_id, hash_line, op, comm_rank, launched, address, pid, line_no
        from ras_launched
    ),
    named as (
        select
            n.file_id,
            n.counts_line,
            c.op,
            list(comm_rank order by comm_rank) filter (launched = count_ahead) as ranks_ahead,
            list(comm_rank order by comm_rank) filter (launched = count_behind) as ranks_behind,
            list(distinct address order by address) filter (
                launched = count_behind
            ) as hosts_behind,
            list(distinct n.pid order by n.pid) filter (launched = count_behind) as pids_behind,
            list(line_at(n.file_id, n.line_no) order by n.line_no) as named_lines
        from named_rank n
        join
            counts c
            on c.file_id = n.file_id
            and c.counts_line = n.counts_line
            and c.op is not distinct from n.op
        group by all
    )
select
    c.*,
    n.ranks_ahead,
    n.ranks_behind,
    n.hosts_behind,
    n.pids_behind,
    c.evidence || coalesce(n.named_lines, []) as lines,
    count(*) over (partition by c.comm_hash, c.op, c.count_ahead, c.count_behind, c.n_behind)
    > 1 as stalled,
    row_number() over (
        partition by c.comm_hash, c.op
        order by c.time desc nulls last, c.file_id desc, c.counts_line desc
    )
    = 1 as latest
from counts c
left join
    named n
    on n.file_id = c.file_id
    and n.counts_line = c.counts_line
    and n.op is not distinct from c.op
where c.count_ahead > c.count_behind
