-- table: One row: rank 0 itself did not come to a monitored_barrier, or was stopped there by
-- another rank: those that came say that it did not answer. Where all but it say so, it is the one.
with
    arrived as (
        select
            list_sort(list(distinct group_rank)) as ranks,
            min(time) as time,
            list(line_at(file_id, line_no) order by group_rank)[:5] as evidence
        from c10d_barrier
        where event = 'echo' and coalesce(rank = group_rank, true)
    )
select
    'monitored_barrier' as source,
    'root_silent' as finding,
    [0]::bigint[] as ranks,
    'barrier' as op,
    'outside' as place,
    case
        when len(ranks) >= 2 and ranks = range(1, len(ranks) + 1) then 'probable' else 'possible'
    end as grade,
    time as "at",
    ranks as waiting_ranks,
    evidence
from arrived
where
    not list_contains(ranks, 0)
    and not exists (from c10d_barrier where event <> 'echo')
    and not exists (from exception where rank = 0)
