-- table: One row: the ranks monitored_barrier waited for in vain, as rank 0 names them (only the
-- first one without wait_all_ranks). In a smaller group than the default one the numbers are the
-- group's own, and nobody is named. Or all but those that a program says came to its own barrier.
with
    named_rank as (
        select
            b.*,
            unnest(
                list_transform(regexp_extract_all(b.lagging, '[0-9]+'), lambda n:n::bigint)
            ) as missing,
            'awaited_by_root' as finding
        from c10d_barrier b
        where b.event = 'missing' and coalesce(b.rank = b.group_rank, true)
        union all
        select
            b.*,
            unnest(
                list_filter(
                    ranks_below(b.nranks),
                    lambda r: not list_contains(numbers_listed(b.arrived, 1000000), r)
                )
            ) as missing,
            'not_at_barrier' as finding
        from c10d_barrier b
        where b.arrived is not null
    ),
    known_rank as (
        select coalesce(rank, group_rank) as rank
        from c10d_barrier
        union
        select missing
        from named_rank
        union
        select rank
        from exit
        where source = 'torchelastic'
        union
        select rank
        from file
        where rank is not null
    )
select
    case min(finding) when 'awaited_by_root' then 'monitored_barrier' else 'told' end as source,
    min(finding) as finding,
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
    max(timeout_ms) / 1000 as seconds,
    list_distinct(list(line_at(file_id, line_no))) as evidence,
    max(timeout_ms) as timeout_ms,
    coalesce(max(nranks), (select max(rank) + 1 from known_rank)) as world_size
from named_rank
having count(*) > 0
