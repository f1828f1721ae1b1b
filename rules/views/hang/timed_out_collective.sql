-- table: One row: the group whose collective began first of all that timed out, and who waited in
-- it; the rest of the hang follows from it. elsewhere = ranks of the group that gave up a later
-- number; groups_after = how many other groups timed out after it.
with
    first_group as (
        select grp, min(started) as started, count(distinct rank) as ranks, min(seq) as seq
        from timed_out_wait
        group by grp
        order by started nulls last, ranks desc, seq
        limit 1
    ),
    wait as (
        select w.* from timed_out_wait w join first_group f on f.grp is not distinct from w.grp
    ),
    -- Where the text was cut, a rank may be there with the status of its group only.
    status_only as (
        select distinct c.rank
        from c10d_status_line c
        join first_group f on f.grp in (c.grp, c.grp_desc) and c.failed_seq = f.seq
        where
            c.source = 'watchdog'
            and c.rank is not null
            and c.rank not in (select rank from timed_out_wait where rank is not null)
    ),
    rank_at as (select rank, min(seq) as seq from wait where rank is not null group by rank),
    later_number as (
        select seq, list_sort(list(rank)) as ranks
        from rank_at
        where seq > (select min(seq) from rank_at)
        group by seq
    )
select
    list_sort(
        list_distinct(
            coalesce(list(rank) filter (rank is not null), [])
            || coalesce((select list(rank) from status_only), [])
        )
    ) as ranks,
    list_distinct(list(host) filter (host is not null)) as hosts,
    any_value(grp) as grp,
    min(seq) as seq,
    max(seq) as last_seq,
    list_sort(list(distinct op) filter (op is not null)) as ops,
    -- all waits tell it, or none does
    count(distinct coalesce(op, '')) = 1 as is_of_one_op,
    arg_min(op, coalesce(seq, 0)) as op,
    max(timeout_ms) as timeout_ms,
    max(ran_ms) as ran_ms,
    list_sort(list(distinct awaited_rank) filter (awaited_rank is not null)) as awaited_ranks,
    any_value(numel_in) as numel_in,
    any_value(numel_out) as numel_out,
    -- torch 2.3 left a count uninitialised, which then is huge.
    min(last_completed) filter (last_completed < 1000000000000) as last_completed,
    max(last_enqueued) filter (last_enqueued < 1000000000000) as last_enqueued,
    min(started) as started,
    max(time) as until,
    (select list({'ranks':ranks, 'seq':seq} order by seq) from later_number) as elsewhere,
    (select count(distinct coalesce(grp, '?')) - 1 from timed_out_wait) as groups_after,
    list(line_at(file_id, line_no) order by time, rank) as evidence
from wait
having count(*) > 0
