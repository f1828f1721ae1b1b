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

-- The pieces of every segment in their order, and the request that failed, in the shape that `logsift plot --extents` draws:
-- states in the order of their numbers from dark to light, the largest free piece marked.
CREATE VIEW extent AS
SELECT b.file_id, b.line_no, f.path || ', GPU ' || s.gpu_index AS picture,
       CASE WHEN s.private_pool THEN 'pool of a graph ' ELSE '' END || s.start_address AS lane,
       sum(b.size_bytes) OVER (PARTITION BY b.file_id, b.segment_line ORDER BY b.line_no ROWS UNBOUNDED PRECEDING)::BIGINT - b.size_bytes AS start_bytes, b.size_bytes,
       CASE b.state WHEN 'active_allocated' THEN 1 WHEN 'inactive' THEN CASE WHEN s.blocks = 1 THEN 4 ELSE 3 END ELSE 2 END AS state_no,
       ['in use', 'waits for a stream', 'free between tensors', 'free, can be given back'][state_no] AS state,
       b.state = 'inactive' AND NOT s.private_pool AND b.size_bytes = max(s.largest_free_bytes) FILTER (NOT s.private_pool) OVER (PARTITION BY b.file_id, s.gpu_index) AS marked
FROM memory_block b JOIN memory_segment s ON s.file_id = b.file_id AND s.line_no = b.segment_line JOIN file f ON f.file_id = b.file_id;

CREATE VIEW extent_wanted AS
SELECT file_id, line_no, path || ', GPU ' || gpu_index AS picture, requested_bytes AS size_bytes,
       'largest free piece ' || bytes_text(largest_free_bytes) || ', asked for ' || bytes_text(requested_bytes) AS about
FROM memory_proof JOIN file USING (file_id);
