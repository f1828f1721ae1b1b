-- view: one row per allocation that failed at the end of a snapshot, with what the segments say of
-- it: the largest free piece, what is stranded between live tensors, and what could have been
-- given back. Pieces in private pools serve only their graph.
select
    o.file_id,
    o.line_no,
    o.time,
    o.host,
    o.rank,
    o.local_rank,
    o.task,
    o.pid,
    o.stream,
    o.gpu_index,
    o.requested_bytes,
    o.free_bytes,
    o.changes_after,
    o.frames,
    s.allocated_bytes,
    s.unallocated_bytes,
    s.reserved_bytes,
    s.stranded_bytes,
    s.releasable_bytes,
    s.largest_free_bytes,
    s.private_pool_bytes,
    s.segments,
    s.first_segment
from memory_oom o
join
    (
        select
            file_id,
            gpu_index,
            sum(allocated_bytes)::bigint as allocated_bytes,
            sum(unallocated_bytes) filter (not private_pool)::bigint as unallocated_bytes,
            sum(total_bytes)::bigint as reserved_bytes,
            coalesce(
                sum(unallocated_bytes) filter (
                    not private_pool and unallocated_bytes < total_bytes
                ),
                0
            )::bigint as stranded_bytes,
            coalesce(
                sum(total_bytes) filter (not private_pool and unallocated_bytes = total_bytes), 0
            )::bigint as releasable_bytes,
            coalesce(max(largest_free_bytes) filter (not private_pool), 0) as largest_free_bytes,
            sum(total_bytes) filter (private_pool)::bigint as private_pool_bytes,
            count(*) as segments,
            arg_max(line_no, unallocated_bytes) as first_segment
        from memory_segment
        group by all
    ) s
    on s.file_id = o.file_id
    and s.gpu_index = o.gpu_index
where o.is_last
