-- view: one row per part of an accelerator's memory when an allocation failed, the first of each
-- rank: place = order from the inside out, wanted: what was asked for, beside the whole.
with
    failure as (
        select
            coalesce(o.rank, f.rank) as rank,
            short_host(coalesce(o.host, f.host)) as host,
            o.total_bytes,
            o.free_bytes,
            o.requested_bytes,
            o.allocated_bytes,
            o.unallocated_bytes,
            o.private_pool_bytes,
            o.this_process_bytes
        from oom_event o
        join file f using (file_id)
        where o.total_bytes > 0 and o.requested_bytes > 0
        qualify
            row_number() over (partition by coalesce(o.rank, f.rank), o.file_id order by o.line_no)
            = 1
    ),
    chosen as (
        select
            *,
            coalesce(allocated_bytes, 0) - coalesce(private_pool_bytes, 0) as tensors,
            total_bytes
            - coalesce(free_bytes, 0)
            - allocated_bytes
            - coalesce(unallocated_bytes, 0) as outside_bytes
        from failure
        order by rank nulls last
        limit 8
    ),
    part as (
        select
            *,
            unnest(
                [
                    {'place':1, 'part':'allocated', 'size_bytes':tensors},
                    {'place':2, 'part':'graph pools', 'size_bytes':private_pool_bytes},
                    {'place':3, 'part':'cached, not allocated', 'size_bytes':unallocated_bytes},
                    {'place':4, 'part':'outside of the allocator', 'size_bytes':outside_bytes},
                    {'place':5, 'part':'free', 'size_bytes':free_bytes},
                    {'place':6, 'part':'requested', 'size_bytes':requested_bytes}
                ],
                recursive := true
            )
        from chosen
    )
select
    coalesce('rank ' || rank, host, 'process') as lane,
    rank,
    host,
    place,
    part,
    size_bytes,
    total_bytes,
    part = 'requested' as wanted
from part
where size_bytes > 0
order by rank, place
