-- table: One row per snapshot of NCCL RAS, communicator and state of ranks, with the ranks it
-- names; n = how many are in that state. In a single snapshot that is a moment of a start or an
-- end; stalled = two snapshots with the same numbers, so nothing moves; latest = the last snapshot.
with
    seen_state as (
        select
            file_id,
            line_no,
            counts_line,
            comm_hash,
            ras_status,
            affected as n,
            comm_rank,
            pid,
            address,
            time
        from nccl_ras_status
        union all by name
        select
            file_id,
            line_no,
            hash_line as counts_line,
            comm_hash,
            ras_status,
            1 as n,
            comm_rank,
            pid,
            address
        from ras_rank
        where not missing and ras_status is not null
    ),
    split as (
        select
            file_id,
            counts_line,
            comm_hash,
            ras_status,
            case
                when bool_or(comm_rank is null) then max(n) filter (comm_rank is null) else count(*)
            end as n,
            list(comm_rank order by comm_rank) filter (comm_rank is not null) as ranks,
            list(distinct address order by address) filter (address is not null) as hosts,
            list(distinct pid order by pid) filter (pid is not null) as pids,
            max(time) as time,
            list(line_at(file_id, line_no) order by line_no)[:10] as evidence
        from seen_state
        group by all
    )
select
    *,
    sum(n) over one as nranks,
    count(*) over one as states,
    count(*) over (partition by comm_hash, ras_status, n) > 1 as stalled,
    row_number() over (
        partition by comm_hash, ras_status
        order by time desc nulls last, file_id desc, counts_line desc
    )
    = 1 as latest
from split
window one as (partition by file_id, counts_line, comm_hash)
