-- What the segments say of an allocation that failed: the largest free piece, what is stranded between live tensors, and
-- what could have been given back. Pieces in private pools serve only their graph.
CREATE VIEW memory_proof AS
SELECT o.file_id, o.line_no, o.time, o.host, o.rank, o.local_rank, o.task, o.pid, o.stream, o.gpu_index, o.requested_bytes, o.free_bytes, o.changes_after, o.frames,
       s.allocated_bytes, s.unallocated_bytes, s.reserved_bytes, s.stranded_bytes, s.releasable_bytes, s.largest_free_bytes, s.private_pool_bytes, s.segments, s.first_segment
FROM memory_oom o
JOIN (
  SELECT file_id, gpu_index, sum(allocated_bytes)::BIGINT AS allocated_bytes, sum(unallocated_bytes) FILTER (NOT private_pool)::BIGINT AS unallocated_bytes,
         sum(total_bytes)::BIGINT AS reserved_bytes,
         coalesce(sum(unallocated_bytes) FILTER (NOT private_pool AND unallocated_bytes < total_bytes), 0)::BIGINT AS stranded_bytes,
         coalesce(sum(total_bytes) FILTER (NOT private_pool AND unallocated_bytes = total_bytes), 0)::BIGINT AS releasable_bytes,
         coalesce(max(largest_free_bytes) FILTER (NOT private_pool), 0) AS largest_free_bytes,
         sum(total_bytes) FILTER (private_pool)::BIGINT AS private_pool_bytes, count(*) AS segments,
         arg_max(line_no, unallocated_bytes) AS first_segment
  FROM memory_segment GROUP BY ALL) s ON s.file_id = o.file_id AND s.gpu_index = o.gpu_index
WHERE o.is_last;
