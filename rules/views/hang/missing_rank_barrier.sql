-- view: monitored_barrier: rank 0 names them; without wait_all_ranks only the first.
with
    named as (
        select
            b.*,
            unnest(
                list_transform(regexp_extract_all(b.lagging, '[0-9]+'), lambda n:n::bigint)
            ) as missing
        from c10d_barrier b
        where b.event = 'missing' and coalesce(b.rank = b.group_rank, true)
    )  -- in a smaller group the numbers are the group's own
select
    'monitored_barrier' as source,
    list_sort(list(distinct missing)) as ranks,
    []::varchar[] as hosts,
    []::bigint[] as pids,
    null::varchar as grp,
    null::bigint as seq,
    'barrier' as op,
    'host' as side,
    'outside' as place,
    'definite' as grade,
    min(time) - to_milliseconds(max(timeout_ms)) as "at",
    'monitored_barrier: rank 0 waited ' || divide(max(timeout_ms), 1000) || ' s for them' as said,
    list_distinct(list(line_at(file_id, line_no))) as evidence,
    max(timeout_ms) as timeout_ms,
    (
        select max(r) + 1
        from
            (
                select coalesce(rank, group_rank) as r
                from c10d_barrier
                union
                select missing
                from named
                union
                select rank
                from exit
                where source = 'torchelastic'
                union
                select rank
                from file
                where rank is not null
            )
    ) as world_size
from named
having count(*) > 0
