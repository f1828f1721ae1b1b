-- The arithmetic of accelerator out-of-memory messages: what was asked, who holds what, and which class that makes.

-- Bytes for people, NULL where they are not known: for parts of a sentence that are left out then.
CREATE MACRO known_bytes(n) AS CASE WHEN n IS NOT NULL THEN bytes_text(n) END;

-- An exception of another library that the program died of and that speaks of memory: read only where nothing better tells.
CREATE VIEW memory_exception AS
SELECT *, regexp_matches(class || message, '(?i)out.?of.?memory|RESOURCE_EXHAUSTED|ResourceExhaustedError') AS of_device,
       size_bytes_of(nullif(regexp_extract(message, 'llocat(?:e|ing)? ([0-9][0-9.,]* ?(?:[KMGT]i?B|bytes|B))', 1), '')) AS requested_bytes
FROM fatal_exception
WHERE kind = 'memory' AND NOT EXISTS (FROM oom_message) AND NOT EXISTS (FROM xla_allocate_oom) AND NOT EXISTS (FROM xla_runtime_oom) AND NOT EXISTS (FROM xla_compile_oom) AND NOT EXISTS (FROM tensor_oom)
  AND NOT EXISTS (FROM vllm_oom) AND NOT EXISTS (FROM runtime_oom) AND NOT EXISTS (FROM nccl_cuda_failure) AND NOT EXISTS (FROM cuda_error) AND NOT EXISTS (FROM host_allocation_failure WHERE said_by <> 'c++') AND NOT EXISTS (FROM shm_failure)
  AND NOT EXISTS (FROM limit_reached) AND NOT EXISTS (FROM kill_explained);

-- One row per message of any framework, in bytes. Where a runtime does not print a number it is NULL.
-- `allocated` is live tensors (with the pools of CUDA graphs), `unallocated` what the framework keeps without using it.
CREATE TABLE oom_event AS
WITH every AS (
  SELECT file_id, line_no, last_line, time, host, rank, local_rank, task, pid, stream,
         CASE WHEN is_async THEN 'cudaMallocAsync' ELSE 'pytorch' END AS framework, device, gpu_index,
         requested_bytes, total_bytes, free_bytes, this_process_bytes, processes, allocated_bytes, unallocated_bytes,
         private_pool_bytes, limit_bytes, by_fraction, other_bytes, tells_pools, bare,
         NULL::BIGINT AS reservable_bytes, NULL::BIGINT AS shortfall_bytes, NULL::VARCHAR AS location, NULL::VARCHAR AS program,
         NULL::VARCHAR AS kind, NULL::BIGINT AS largest_free_bytes, NULL::BIGINT AS fragmentation_bytes, NULL::DOUBLE AS padding,
         NULL::VARCHAR AS memory_space, NULL::BIGINT AS stranded_bytes, NULL::BIGINT AS releasable_bytes, NULL::BIGINT AS changes_after, NULL::VARCHAR AS frames
  FROM torch_oom WHERE NOT absurd
  UNION ALL BY NAME
  -- NCCL prints the failing call and the size on two lines
  SELECT file_id, min(line_no) AS line_no, max(line_no) AS last_line, min(time) AS time, host, min(rank) AS rank, min(local_rank) AS local_rank, min(task) AS task, pid, stream,
         'nccl' AS framework, 'cuda' AS device, device_hint AS gpu_index, max(requested_bytes) AS requested_bytes, 'nccl' AS kind
  FROM nccl_cuda_failure WHERE error = 'out of memory' OR requested_bytes IS NOT NULL GROUP BY file_id, host, pid, stream, device_hint
  UNION ALL BY NAME
  SELECT file_id, line_no, line_no AS last_line, time, host, rank, local_rank, task, pid, stream, gpu_index,
         CASE WHEN reason IN ('no_static_memory', 'token_pool_full') THEN 'sglang' ELSE 'vllm' END AS framework, 'cuda' AS device, requested_bytes, total_bytes, coalesce(free_bytes, (free_gib * 1073741824)::BIGINT) AS free_bytes, reason AS kind
  FROM vllm_oom
  UNION ALL BY NAME
  SELECT file_id, line_no, line_no AS last_line, time, host, rank, local_rank, task, pid, stream, framework, CASE WHEN lower(device) = 'gpu' THEN 'cuda' ELSE lower(device) END AS device, gpu_index,
         requested_bytes, free_bytes, allocated_bytes, limit_bytes, reason AS kind
  FROM runtime_oom
  UNION ALL BY NAME
  SELECT file_id, line_no, line_no AS last_line, time, host, rank, local_rank, task, pid, stream, 'tensorrt' AS framework, 'cuda' AS device, requested_bytes, 'buffer' AS kind
  FROM tensorrt_oom t WHERE kind = 'refused' AND EXISTS (FROM tensorrt_oom g WHERE g.kind = 'gave_up' AND g.file_id = t.file_id AND g.line_no > t.line_no)
  UNION ALL BY NAME
  SELECT file_id, line_no, line_no AS last_line, time, host, rank, local_rank, task, pid, stream, 'xla' AS framework, 'tpu' AS device,
         requested_bytes, free_bytes, reservable_bytes, location, program, call AS kind
  FROM xla_runtime_oom
  UNION ALL BY NAME
  SELECT c.file_id, c.line_no, c.line_no AS last_line, c.time, c.host, c.rank, c.local_rank, c.task, c.pid, c.stream, 'xla' AS framework, 'tpu' AS device,
         c.used_bytes AS requested_bytes, c.limit_bytes, coalesce(c.shortfall_bytes, greatest(c.used_bytes - c.limit_bytes, 0)) AS shortfall_bytes, 'compile' AS kind, c.memory_space,
         u.fragmentation_bytes, round(u.padded_bytes / u.unpadded_bytes, 2) AS padding
  FROM xla_compile_oom c
  LEFT JOIN LATERAL (SELECT * FROM xla_compile_use u WHERE u.file_id = c.file_id AND u.line_no BETWEEN c.line_no AND c.line_no + 40
                     ORDER BY u.line_no LIMIT 1) u ON true
  UNION ALL BY NAME
  SELECT a.file_id, a.line_no, a.line_no AS last_line, a.time, a.host, a.rank, a.local_rank, a.task, a.pid, a.stream,
         CASE WHEN a.allocator IS NULL AND a.printed_bytes IS NULL THEN 'jax' ELSE 'tensorflow' END AS framework,
         CASE WHEN EXISTS (FROM xla_runtime_oom) OR EXISTS (FROM xla_compile_oom) THEN 'tpu' ELSE 'cuda' END AS device,
         coalesce(TRY_CAST(nullif(regexp_extract(a.allocator, 'GPU_([0-9]+)', 1), '') AS BIGINT), a.gpu_index) AS gpu_index,
         coalesce(a.exact_bytes, a.requested_bytes, a.printed_bytes) AS requested_bytes, d.limit_bytes, d.allocated_bytes, d.largest_free_bytes, 'bfc' AS kind
  FROM xla_allocate_oom a
  LEFT JOIN (
    SELECT file_id, dump_line, max(value_bytes) FILTER (name = 'Limit') AS limit_bytes,
           coalesce(max(value_bytes) FILTER (name = 'InUse'), max(in_use)) AS allocated_bytes, max(largest) AS largest_free_bytes
    FROM (SELECT file_id, dump_line, name, value_bytes, NULL::BIGINT AS largest, NULL::BIGINT AS in_use FROM bfc_stat
          UNION ALL
          SELECT file_id, dump_line, NULL, NULL, max(size_bytes) FILTER (state LIKE 'Free%'), sum(size_bytes) FILTER (state = 'InUse') FROM bfc_chunk GROUP BY ALL)
    GROUP BY ALL) d ON d.file_id = a.file_id AND d.dump_line = a.line_no
  WHERE a.harmless IS NULL AND coalesce(a.allocator, '') NOT LIKE '%cpu%' AND coalesce(a.allocator, '') NOT LIKE '%host%'
  UNION ALL BY NAME
  SELECT file_id, line_no, line_no AS last_line, time, host, rank, local_rank, task, pid, stream, 'tensorflow' AS framework,
         CASE WHEN device = 'TPU' THEN 'tpu' ELSE 'cuda' END AS device, gpu_index, 'tensor' AS kind,
         TRY_CAST(list_product(list_transform(string_split(shape, ','), lambda n: TRY_CAST(n AS DOUBLE)))
                  * CASE WHEN dtype IN ('float', 'int32', 'uint32') THEN 4 WHEN dtype IN ('double', 'int64', 'complex64') THEN 8
                         WHEN dtype IN ('half', 'bfloat16', 'int16') THEN 2 WHEN dtype IN ('int8', 'uint8', 'bool') THEN 1 END AS BIGINT) AS requested_bytes
  FROM (SELECT t.* REPLACE (coalesce(t.device, p.device) AS device, coalesce(t.gpu_index, p.gpu_index) AS gpu_index, coalesce(t.dtype, lower(p.dtype)) AS dtype)
        FROM tensor_oom t LEFT JOIN (SELECT file_id, tensor_line, any_value(device) AS device, any_value(gpu_index) AS gpu_index, any_value(dtype) AS dtype FROM tensor_place GROUP BY ALL) p
          ON p.file_id = t.file_id AND p.tensor_line = t.line_no)
  WHERE coalesce(allocator, '') NOT ILIKE '%cpu%' AND coalesce(device, '') NOT ILIKE 'cpu'
  UNION ALL BY NAME
  SELECT file_id, raised_line AS line_no, raised_line AS last_line, time, host, rank, local_rank, task, pid, stream, 'other' AS framework, 'cuda' AS device, 'other' AS kind, requested_bytes
  FROM memory_exception WHERE of_device
  UNION ALL BY NAME
  -- a memory snapshot counts the pieces instead of guessing at them
  SELECT file_id, line_no, line_no AS last_line, time, host, rank, local_rank, task, pid, stream, 'pytorch' AS framework, 'cuda' AS device, gpu_index, 'snapshot' AS kind,
         requested_bytes, free_bytes, allocated_bytes, unallocated_bytes, private_pool_bytes, largest_free_bytes, stranded_bytes, releasable_bytes, changes_after, frames
  FROM memory_proof
),
-- frames of a capturing function shortly before the message, or capture errors shortly after it, by the same writer
captured AS (
  SELECT e.file_id, e.line_no, e.stream, arg_max(g.line_no, g.line_no) FILTER (g.kind <> 'phase') AS capture_line,
         max(g.function) FILTER (g.kind = 'frame') AS capture_function
  FROM every e JOIN graph_capture g
    ON g.file_id = e.file_id AND g.stream IS NOT DISTINCT FROM e.stream
   AND (g.kind = 'frame' AND g.line_no BETWEEN e.line_no - 80 AND e.line_no - 1 OR g.kind = 'error' AND g.line_no BETWEEN e.line_no AND e.last_line + 80)
  GROUP BY ALL
)
SELECT e.*, c.capture_line, c.capture_function,
       EXISTS (FROM graph_capture WHERE kind = 'phase') AS graphs_in_use
FROM every e LEFT JOIN captured c ON c.file_id = e.file_id AND c.line_no = e.line_no AND c.stream IS NOT DISTINCT FROM e.stream;

-- Messages the program outlived: its training went on, or it said that it tries again and nothing tells of its end.
-- Where a launcher started it again, where it was not caught and steps begin anew, the message was fatal.
CREATE TABLE oom_survived AS
WITH progress AS (
  SELECT file_id, line_no, rank, step::DOUBLE AS step FROM metric WHERE step IS NOT NULL
  UNION ALL SELECT file_id, line_no, rank, done FROM progress_bar WHERE done IS NOT NULL
),
placed AS (
  SELECT e.file_id, e.line_no, e.stream, e.rank, any_value(e.last_line) AS last_line,
         max(p.step) FILTER (p.line_no < e.line_no) AS step_before, arg_min(p.step, p.line_no) FILTER (p.line_no > e.last_line) AS step_after,
         count(DISTINCT p.step) FILTER (p.line_no > e.last_line) AS steps_after, min(p.line_no) FILTER (p.line_no > e.last_line) AS next_step_line
  FROM oom_event e LEFT JOIN progress p ON p.file_id = e.file_id AND (p.rank IS NULL OR e.rank IS NULL OR p.rank = e.rank)
  WHERE e.kind IS DISTINCT FROM 'snapshot' GROUP BY ALL
),
judged AS (
  SELECT p.*,
    EXISTS (FROM oom_handled h WHERE h.file_id = p.file_id AND (h.rank IS NULL OR p.rank IS NULL OR h.rank = p.rank) AND h.line_no BETWEEN p.line_no - 5 AND p.last_line + 60) AS said_so,
    EXISTS (FROM exception_verdict x WHERE x.file_id = p.file_id AND x.raised_line BETWEEN p.line_no - 1 AND p.last_line + 1 AND x.chain_uncaught) AS uncaught,
    -- a traceback after it that is not the next attempt's
    EXISTS (FROM traceback t WHERE t.file_id = p.file_id AND t.line_no > p.last_line AND (t.rank IS NULL OR p.rank IS NULL OR t.rank = p.rank)
            AND NOT EXISTS (FROM exception_verdict x WHERE x.file_id = t.file_id AND x.traceback_line = t.line_no AND (x.steps_after >= 2 OR x.kind = 'memory' AND NOT x.chain_uncaught))) AS died_later,
    EXISTS (FROM "exit" x WHERE x.file_id = p.file_id AND x.line_no BETWEEN p.last_line AND coalesce(next_step_line, 9e18)) AS ended_before_next,
    EXISTS (FROM launcher_event l WHERE l.event = 'restart') AS restarted
  FROM placed p
)
SELECT file_id, line_no, stream, steps_after, said_so FROM judged
WHERE NOT restarted AND NOT ended_before_next
  AND (steps_after >= 2 AND NOT (uncaught AND coalesce(step_after <= step_before, true)) 
       -- one rank that skips a batch leaves the others waiting in their collectives: no word of going on counts there
       OR said_so AND NOT uncaught AND NOT died_later AND NOT EXISTS (FROM "exit" x WHERE x.said_by <> 'subprocess') AND NOT EXISTS (FROM c10d_timeout_line));

-- Each message with the class its numbers give. MiB = 1048576. Printed sizes are rounded: below 32 MiB all is equal.
CREATE TABLE oom_verdict AS
WITH base AS (
  SELECT *, allocated_bytes + unallocated_bytes AS reserved_bytes,
         -- In a container the program sees itself as a foreign process: the one whose size is what it holds, plus its context.
         CASE WHEN this_process_bytes IS NOT NULL THEN NULL
              -- the one that does not fit on the card beside what this process holds: it is this process
              WHEN len(list_filter(processes, lambda p: p.bytes + allocated_bytes + coalesce(unallocated_bytes, 0) > total_bytes - free_bytes + 268435456)) = 1
                THEN list_filter(processes, lambda p: p.bytes + allocated_bytes + coalesce(unallocated_bytes, 0) > total_bytes - free_bytes + 268435456)[1].bytes
              WHEN allocated_bytes IS NOT NULL THEN list_max(list_transform(list_filter(processes,
                lambda p: p.bytes - (allocated_bytes + coalesce(unallocated_bytes, 0)) BETWEEN -33554432 AND 3221225471), lambda p: p.bytes))
              ELSE list_max(list_transform(list_filter(processes, lambda p: p.bytes >= 0.9 * (total_bytes - free_bytes)), lambda p: p.bytes)) END AS self_m
  FROM oom_event
),
selves AS (
  SELECT *, list_filter(processes, lambda p: p.bytes = self_m)[1].pid AS self_pid,
         -- two of a size that this process may have: which one it is, the numbers do not tell
         len(list_filter(processes, lambda p: this_process_bytes IS NULL AND p.bytes - (allocated_bytes + coalesce(unallocated_bytes, 0)) BETWEEN -33554432 AND 3221225471)) > 1 AS self_unsure
  FROM base
),
others AS (
  SELECT * EXCLUDE (self_m), coalesce(this_process_bytes, self_m) AS self_bytes,
         -- the largest first, and those of one size as they were printed
         list_reverse_sort(list_transform(list_filter(processes, lambda p: self_pid IS NULL OR p.pid <> self_pid),
           lambda p, i: {'bytes': p.bytes, 'before': -i, 'pid': p.pid})) AS foreign_processes
  FROM selves
),
foreigners AS (
  SELECT *, list_sum(list_transform(foreign_processes, lambda p: p.bytes))::BIGINT AS named_bytes,
         greatest(CASE WHEN framework = 'vllm' AND kind = 'card_in_use' THEN total_bytes - free_bytes
              WHEN framework NOT IN ('pytorch', 'cudaMallocAsync') OR device = 'mps' THEN NULL
              WHEN self_bytes IS NOT NULL THEN total_bytes - free_bytes - self_bytes
              WHEN reserved_bytes IS NOT NULL THEN total_bytes - free_bytes - reserved_bytes - least(1073741824, total_bytes // 10)
              WHEN framework = 'cudaMallocAsync' THEN total_bytes - free_bytes - allocated_bytes - least(1073741824, total_bytes // 10) END,
            list_sum(list_transform(foreign_processes, lambda p: p.bytes)), CASE WHEN total_bytes IS NOT NULL THEN 0 END)::BIGINT AS foreign_bytes
  FROM others
),
-- fragmentation by the numbers: 2 certain, 1 likely, 0 not
graded AS (
  SELECT *,
    CASE WHEN framework <> 'pytorch' OR device = 'mps' THEN 0
         WHEN unallocated_bytes >= greatest(requested_bytes, 0.05 * total_bytes) THEN 2
         WHEN unallocated_bytes >= greatest(requested_bytes, 0.03 * total_bytes) THEN 1
         WHEN unallocated_bytes >= 0.03 * total_bytes AND unallocated_bytes < requested_bytes
          AND free_bytes + unallocated_bytes - requested_bytes >= greatest(33554432, 0.1 * requested_bytes) THEN 1
         ELSE 0 END AS scattered
  FROM foreigners
),
decided AS (
  SELECT *,
    CASE
      WHEN framework IN ('vllm', 'sglang') THEN CASE kind WHEN 'card_in_use' THEN {'class': 'foreign_process', 'grade': 'probable', 'because': 'card_in_use_at_start'}
                                             ELSE {'class': 'capacity', 'grade': CASE kind WHEN 'no_static_memory' THEN 'probable' ELSE 'definite' END, 'because': kind} END
      WHEN kind = 'token_budget' THEN {'class': 'capacity', 'grade': 'definite', 'because': kind}
      WHEN kind = 'pool_limit' OR kind = 'refused' AND limit_bytes IS NOT NULL THEN {'class': 'capacity', 'grade': 'probable', 'because': 'pool_limit'}
      WHEN kind = 'refused' THEN {'class': 'capacity', 'grade': CASE WHEN requested_bytes > free_bytes OR free_bytes IS NULL AND requested_bytes IS NOT NULL AND device IS NOT NULL THEN 'probable' ELSE 'possible' END,
                                  'because': CASE WHEN requested_bytes > free_bytes THEN 'request_exceeds_free' ELSE 'no_reason_in_the_numbers' END}
      WHEN kind = 'other' THEN {'class': 'capacity', 'grade': 'possible', 'because': 'no_numbers'}
      WHEN kind = 'buffer' THEN {'class': 'capacity', 'grade': 'probable', 'because': 'no_other_reason_in_the_numbers'}
      WHEN framework = 'nccl' THEN {'class': 'capacity', 'grade': 'probable', 'because': 'nothing_left_for_nccl'}
      WHEN kind IN ('allocate', 'reserve') THEN CASE
        WHEN requested_bytes > free_bytes THEN {'class': 'capacity', 'grade': 'definite', 'because': 'request_exceeds_free'}
        WHEN reservable_bytes IS NULL OR requested_bytes > reservable_bytes
          THEN {'class': 'fragmentation', 'grade': CASE WHEN kind = 'reserve' THEN 'definite' ELSE 'probable' END, 'because': 'free_but_not_in_one_piece'}
        ELSE {'class': 'capacity', 'grade': 'possible', 'because': 'no_reason_in_the_numbers'} END
      WHEN kind = 'compile' THEN CASE
        WHEN memory_space = 'hbm' AND requested_bytes - fragmentation_bytes <= limit_bytes THEN {'class': 'fragmentation', 'grade': 'probable', 'because': 'fits_without_fragmentation'}
        ELSE {'class': 'capacity', 'grade': 'definite', 'because': CASE WHEN memory_space IN ('hbm') THEN 'program_exceeds_memory' ELSE 'kernel_exceeds_scratch_memory' END} END
      WHEN kind = 'bfc' THEN CASE
        WHEN limit_bytes - allocated_bytes < requested_bytes THEN {'class': 'capacity', 'grade': 'definite', 'because': 'pool_exhausted'}
        WHEN largest_free_bytes < requested_bytes AND limit_bytes IS NOT NULL THEN {'class': 'fragmentation', 'grade': 'definite', 'because': 'largest_free_piece_too_small'}
        ELSE {'class': 'capacity', 'grade': 'probable', 'because': 'no_other_reason_in_the_numbers'} END
      WHEN kind = 'snapshot' THEN CASE
        WHEN largest_free_bytes < requested_bytes AND free_bytes < requested_bytes AND requested_bytes <= stranded_bytes + releasable_bytes + free_bytes
             AND stranded_bytes >= 0.03 * (reserved_bytes + free_bytes)
          THEN {'class': 'fragmentation', 'grade': CASE WHEN changes_after = 0 THEN 'definite' ELSE 'probable' END, 'because': 'largest_free_piece_too_small'}
        WHEN private_pool_bytes >= greatest(requested_bytes, 0.05 * (reserved_bytes + free_bytes)) THEN {'class': 'graph_capture', 'grade': 'probable', 'because': 'graph_pools_hold_it'}
        ELSE {'class': 'capacity', 'grade': 'probable', 'because': 'does_not_fit'} END
      WHEN kind = 'tensor' THEN {'class': 'capacity', 'grade': 'probable', 'because': 'no_other_reason_in_the_numbers'}
      -- PyTorch. A bare runtime error has no numbers: only a capture makes it ours.
      WHEN capture_line IS NOT NULL THEN {'class': 'graph_capture', 'grade': 'definite', 'because': 'during_capture'}
      WHEN bare THEN NULL
      WHEN requested_bytes IS NULL AND foreign_bytes >= 0.3 * total_bytes AND scattered = 0 THEN {'class': 'foreign_process', 'grade': 'probable', 'because': CASE WHEN len(foreign_processes) > 0 THEN 'other_process_named' ELSE 'memory_nobody_here_holds' END}
      WHEN coalesce(total_bytes, free_bytes, allocated_bytes, reserved_bytes, limit_bytes) IS NULL OR requested_bytes IS NULL THEN CASE WHEN by_fraction THEN {'class': 'capacity', 'grade': 'definite', 'because': 'process_limit'}
                                             ELSE {'class': 'capacity', 'grade': 'possible', 'because': 'no_numbers'} END
      WHEN private_pool_bytes >= greatest(requested_bytes, 0.05 * total_bytes) THEN {'class': 'graph_capture', 'grade': 'probable', 'because': 'graph_pools_hold_it'}
      WHEN NOT tells_pools AND private_pool_bytes IS NULL AND graphs_in_use AND unallocated_bytes >= greatest(requested_bytes, 0.1 * total_bytes)
        THEN {'class': 'graph_capture', 'grade': 'probable', 'because': 'graph_pools_hidden_in_cache'}
      WHEN requested_bytes > total_bytes THEN {'class': 'capacity', 'grade': 'definite', 'because': 'request_exceeds_card'}
      WHEN by_fraction OR limit_bytes IS NOT NULL AND coalesce(reserved_bytes, allocated_bytes + coalesce(other_bytes, 0)) + requested_bytes > limit_bytes - 33554432
        THEN {'class': 'capacity', 'grade': 'definite', 'because': 'process_limit'}
      WHEN framework = 'pytorch' AND limit_bytes IS NULL AND free_bytes >= requested_bytes + 67108864 AND free_bytes >= 0.02 * total_bytes
        THEN {'class': 'fragmentation', 'grade': 'possible', 'because': 'refused_although_free'}
      WHEN foreign_bytes >= greatest(0.05 * total_bytes, 536870912) AND free_bytes + foreign_bytes >= requested_bytes
           AND (scattered = 0 OR foreign_bytes >= unallocated_bytes)
        THEN {'class': 'foreign_process', 'grade': CASE WHEN len(foreign_processes) > 0 AND NOT self_unsure THEN 'definite' WHEN len(foreign_processes) > 0 OR foreign_bytes >= 0.3 * total_bytes THEN 'probable' ELSE 'possible' END,
              'because': CASE WHEN len(foreign_processes) > 0 THEN 'other_process_named' ELSE 'memory_nobody_here_holds' END}
      WHEN scattered > 0 THEN {'class': 'fragmentation', 'grade': CASE scattered WHEN 2 THEN 'probable' ELSE 'possible' END, 'because': 'reserved_but_scattered'}
      WHEN free_bytes IS NULL AND limit_bytes IS NULL AND requested_bytes + coalesce(reserved_bytes, allocated_bytes) + least(1073741824, total_bytes // 10) <= total_bytes
        THEN {'class': 'capacity', 'grade': 'possible', 'because': 'refused_below_the_total'}
      ELSE {'class': 'capacity', 'grade': CASE WHEN total_bytes IS NULL OR device = 'mps' AND limit_bytes IS NULL OR coalesce(self_bytes, allocated_bytes, limit_bytes) IS NULL THEN 'probable' ELSE 'definite' END, 'because': 'does_not_fit'}
    END AS verdict
  FROM graded
)
SELECT * EXCLUDE (verdict, shortfall_bytes), verdict['class'] AS class, verdict.grade AS grade, verdict.because AS because,
       EXISTS (FROM oom_survived s WHERE s.file_id = decided.file_id AND s.line_no = decided.line_no AND s.stream IS NOT DISTINCT FROM decided.stream) AS survived,
       coalesce(shortfall_bytes, CASE WHEN requested_bytes > free_bytes + coalesce(unallocated_bytes, 0) THEN requested_bytes - free_bytes - coalesce(unallocated_bytes, 0)
                                      WHEN kind = 'bfc' AND requested_bytes > limit_bytes - allocated_bytes THEN requested_bytes - (limit_bytes - allocated_bytes) END) AS shortfall_bytes
FROM decided;

-- Messages that tell of one failure: of one framework's device, within ten minutes where there are times. The class is
-- that of most ranks, on a tie the first one's; the numbers are those of the first rank of that class. What the program
-- outlived stands apart.
CREATE TABLE oom_incident AS
WITH timed AS (
  SELECT *, 2 * coalesce(sum(new::INT) OVER (PARTITION BY survived ORDER BY time, file_id, line_no), 0) + survived::INT AS bout
  FROM (SELECT *, coalesce(time - lag(time) OVER (PARTITION BY survived ORDER BY time, file_id, line_no) > INTERVAL 10 MINUTE, false) AS new FROM oom_verdict WHERE class IS NOT NULL)
),
-- the same sentence printed again by a wrapper, a launcher or another logger
fresh AS (
  SELECT *, row_number() OVER (PARTITION BY bout, device, framework IN ('jax', 'tensorflow'), rank, CASE WHEN kind = 'bfc' THEN NULL ELSE gpu_index END, CASE WHEN kind = 'bfc' THEN round(requested_bytes / 1048576) ELSE requested_bytes END, total_bytes, free_bytes, allocated_bytes, reservable_bytes,
                               CASE WHEN framework = 'nccl' OR rank IS NOT NULL THEN host END ORDER BY time, file_id, line_no) AS copy
  FROM timed
),
-- a message without numbers, or of another layer, says nothing where one with numbers stands
weighed AS (
  SELECT *, CASE WHEN because = 'no_numbers' OR kind IN ('refused', 'pool_limit') AND requested_bytes IS NULL THEN 3 WHEN kind IN ('refused', 'pool_limit') THEN 2 WHEN kind = 'snapshot' AND class = 'fragmentation' THEN 0
                 WHEN kind IN ('tensor', 'snapshot') OR framework IN ('nccl', 'jax') AND limit_bytes IS NULL THEN 2 ELSE 1 END AS tier,
  FROM fresh
),
ranked AS (
  SELECT * EXCLUDE (largest_free_bytes, grade), min(tier) OVER (PARTITION BY bout) AS best_tier,
         -- what a snapshot proves holds for the message of the same failure
         coalesce(largest_free_bytes, max(CASE WHEN kind = 'snapshot' THEN largest_free_bytes END) OVER (PARTITION BY bout)) AS largest_free_bytes,
         CASE WHEN class = 'fragmentation' AND bool_or(kind = 'snapshot' AND class = 'fragmentation' AND grade = 'definite') OVER (PARTITION BY bout) THEN 'definite' ELSE grade END AS grade
  FROM weighed
),
votes AS (
  SELECT bout, class, count(*) FILTER (tier = best_tier AND copy = 1) AS votes,
         row_number() OVER (PARTITION BY bout ORDER BY count(*) FILTER (tier = best_tier AND copy = 1) DESC, min((coalesce(time, TIMESTAMP '1970-01-01'), file_id, line_no)) FILTER (tier = best_tier)) AS place
  FROM ranked GROUP BY bout, class
),
lead AS (
  SELECT w.*, row_number() OVER (PARTITION BY w.bout ORDER BY CASE WHEN w.tier = 0 THEN 1.5 ELSE w.tier END, w.requested_bytes IS NULL, coalesce(w.time, TIMESTAMP '1970-01-01'), w.file_id, w.line_no, w.gpu_index) AS nth
  FROM ranked w JOIN votes v ON v.bout = w.bout AND v.place = 1 AND v.class = w.class
),
told AS (
  SELECT bout, list_sort(list(DISTINCT rank) FILTER (rank IS NOT NULL)) AS ranks, list_sort(list(DISTINCT host) FILTER (host IS NOT NULL)) AS hosts,
         list_sort(list(DISTINCT gpu_index::VARCHAR) FILTER (gpu_index IS NOT NULL)) AS gpus, min(time) AS at, max(time) AS until,
         greatest(1, count(*) FILTER (copy = 1 AND coalesce(kind, '') NOT IN ('tensor', 'snapshot') AND (kind IS DISTINCT FROM 'nccl' OR requested_bytes IS NOT NULL))) AS failures, count(*) AS messages, list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:40] AS lines
  FROM ranked GROUP BY bout
),
settings AS (
  SELECT bool_or(value ILIKE '%expandable_segments:true%') AS expandable, bool_or(value ILIKE '%max_split_size_mb%') AS max_split
  FROM setting WHERE name LIKE 'PYTORCH%ALLOC_CONF'
),
named AS (
  SELECT l.*, t.* EXCLUDE (bout), coalesce(c.expandable, false) AS expandable, coalesce(c.max_split, false) AS max_split,
         coalesce(named_bytes, foreign_bytes) AS foreign_shown, f.foreign_rank,
         coalesce(' on GPU ' || l.gpu_index, CASE WHEN l.location IS NOT NULL THEN ' at ' || l.location ELSE '' END) AS place,
         CASE coalesce(len(t.ranks), 0) WHEN 0 THEN '' WHEN 1 THEN 'rank ' || t.ranks[1] || ': ' ELSE 'ranks ' || ranges(t.ranks) || ': ' END AS who,
         b.size_bytes AS largest_allocation_bytes, b.op AS largest_allocation_op, b.source || coalesce(':' || b.source_line, '') AS largest_allocation_source,
         CASE l.device WHEN 'rocm' THEN 'HIP' WHEN 'xpu' THEN 'XPU' WHEN 'tpu' THEN 'TPU' WHEN 'mps' THEN 'MPS' WHEN 'npu' THEN 'NPU' WHEN 'hpu' THEN 'HPU' WHEN 'mlu' THEN 'MLU' WHEN 'neuron' THEN 'Neuron' WHEN 'vulkan' THEN 'Vulkan' ELSE CASE WHEN l.device IS NULL THEN l.framework ELSE 'CUDA' END END AS word
  FROM lead l JOIN told t USING (bout) CROSS JOIN settings c
  LEFT JOIN LATERAL (SELECT min(i.rank) AS foreign_rank FROM identity i
                     WHERE list_contains(list_transform(l.foreign_processes, lambda p: p.pid), i.pid) AND i.rank IS DISTINCT FROM l.rank
                       AND (i.host IS NULL OR l.host IS NULL OR i.host = l.host)) f ON true
  -- the largest piece in XLA's list below the failure, and the operation named right below its size
  LEFT JOIN LATERAL (SELECT a.size_bytes, o.op, o.source, o.source_line FROM xla_allocation a
                     LEFT JOIN xla_allocation o ON o.file_id = a.file_id AND o.breakdown_line = a.breakdown_line AND o.op IS NOT NULL AND o.line_no BETWEEN a.line_no + 1 AND a.line_no + 3
                     WHERE a.file_id = l.file_id AND a.size_bytes IS NOT NULL AND a.line_no BETWEEN l.line_no AND l.line_no + 400 AND framework IN ('xla', 'jax')
                     ORDER BY a.size_bytes DESC, a.line_no, o.line_no LIMIT 1) b ON true
  WHERE l.nth = 1
)
SELECT class, grade, because,
  who || word || ' out of memory' || place
  || coalesce(': ' || known_bytes(requested_bytes) || CASE WHEN kind = 'compile' THEN ' needed' ELSE ' asked for' END, '') || CASE class
    WHEN 'graph_capture' THEN CASE because
      WHEN 'during_capture' THEN ' while a CUDA graph was being captured' || coalesce(' (' || capture_function || ')', '')
           || coalesce(', ' || known_bytes(free_bytes) || ' of ' || bytes_text(total_bytes) || ' free', '')
      WHEN 'graph_pools_hold_it' THEN ', while the pools of CUDA graphs hold ' || bytes_text(private_pool_bytes) || ' of ' || bytes_text(total_bytes) || ' that nothing else may use'
      ELSE ', while ' || bytes_text(unallocated_bytes) || ' of ' || bytes_text(total_bytes) || ' sit unused in a cache that CUDA graphs pin' END
    WHEN 'foreign_process' THEN CASE because
      WHEN 'card_in_use_at_start' THEN ', ' || bytes_text(free_bytes) || ' of ' || bytes_text(total_bytes) || ' free at start: the card was in use already'
      WHEN 'other_process_named' THEN ', while process ' || foreign_processes[1].pid || coalesce(' (rank ' || foreign_rank || ' of this job)', '')
           || CASE WHEN coalesce(len(foreign_processes), 0) > 1 THEN ' and ' || (len(foreign_processes) - 1) || ' more hold ' ELSE ' holds ' END
           || bytes_text(foreign_shown) || ' of ' || bytes_text(total_bytes)
      ELSE ', while ' || bytes_text(foreign_bytes) || ' of ' || bytes_text(total_bytes) || ' are held by something else than this process''s PyTorch' END
    WHEN 'fragmentation' THEN CASE because
      WHEN 'free_but_not_in_one_piece' THEN ', ' || bytes_text(free_bytes) || ' free' || coalesce(', but only ' || known_bytes(reservable_bytes) || ' in one piece', ', but not in one piece')
      WHEN 'fits_without_fragmentation' THEN ' of ' || bytes_text(limit_bytes) || ', of which ' || bytes_text(fragmentation_bytes) || ' are lost to fragmentation'
      WHEN 'largest_free_piece_too_small' THEN ', ' || coalesce(known_bytes(limit_bytes - allocated_bytes) || ' free in the pool', bytes_text(stranded_bytes) || ' stranded between live tensors and ' || bytes_text(free_bytes) || ' free') || ', but the largest piece has ' || bytes_text(largest_free_bytes)
      WHEN 'refused_although_free' THEN ' and refused although ' || bytes_text(free_bytes) || ' of ' || bytes_text(total_bytes) || ' were free'
      ELSE ', ' || bytes_text(unallocated_bytes) || ' reserved but unallocated in pieces, ' || bytes_text(free_bytes) || ' free of ' || bytes_text(total_bytes) || CASE WHEN largest_free_bytes < requested_bytes THEN '; the largest free piece has ' || bytes_text(largest_free_bytes) ELSE '' END END
    ELSE CASE because
      WHEN 'no_numbers' THEN ' (the message tells no more: which process holds what is not known)'
      WHEN 'nothing_left_for_nccl' THEN ' by NCCL: nothing was left on the card for its buffers'
      WHEN 'no_cache_blocks' THEN ': after weights and activations nothing is left for the KV cache'
      WHEN 'no_static_memory' THEN ': the share of the card that SGLang sets aside holds the weights, but nothing is left in it for the KV cache'
      WHEN 'token_pool_full' THEN ': SGLang''s pool of KV cache is full, the card itself need not be'
      WHEN 'sequence_too_long' THEN ': the KV cache cannot hold one sequence of ' || coalesce((SELECT any_value(max_tokens)::VARCHAR FROM vllm_oom) || ' tokens', 'the longest kind')
      WHEN 'token_budget' THEN ': the tokens of a batch that the server is set to do not fit beside the weights'
      WHEN 'pool_limit' THEN coalesce(', ' || known_bytes(allocated_bytes) || ' in use', '') || coalesce(', ' || known_bytes(free_bytes) || ' left', '') || CASE device WHEN 'vulkan' THEN ': more than the device gives in one buffer' ELSE ': the pool it comes from may not grow' || coalesce(' over ' || known_bytes(limit_bytes), ' further') END
      WHEN 'process_limit' THEN CASE WHEN limit_bytes IS NULL THEN ' and refused by the limit set for the process' ELSE ', the process may use ' || bytes_text(limit_bytes) END
      WHEN 'refused_below_the_total' THEN ' and refused, though this process holds only ' || bytes_text(coalesce(reserved_bytes, allocated_bytes)) || ' of ' || bytes_text(total_bytes)
      WHEN 'request_exceeds_card' THEN ', the whole card has ' || bytes_text(total_bytes)
      WHEN 'program_exceeds_memory' THEN coalesce(' of ' || known_bytes(limit_bytes), '')
      WHEN 'kernel_exceeds_scratch_memory' THEN ' of ' || coalesce(known_bytes(limit_bytes) || ' of ', '') || memory_space || ': a kernel''s scratch memory, not the size of the model'
      ELSE coalesce(', ' || known_bytes(free_bytes) || ' free' || coalesce(' of ' || known_bytes(total_bytes), ''), coalesce(' of a pool of ' || known_bytes(limit_bytes), ''))
        || coalesce(', ' || known_bytes(allocated_bytes) || ' in use', '')
        || CASE WHEN self_bytes - reserved_bytes > 3221225472 THEN ' by PyTorch and ' || bytes_text(self_bytes - reserved_bytes) || ' by something else in this process' ELSE '' END END
  END || CASE WHEN failures > 1 AND coalesce(len(ranks), 0) <= 1 THEN ' (' || failures || ' failures)' ELSE '' END
  || CASE WHEN survived THEN '; the program caught it and went on' ELSE '' END AS summary,
  CASE WHEN survived THEN 'info' END AS severity,
  CASE WHEN survived THEN 'Nothing, if the batch was skipped or made smaller on purpose. A batch size that never fails is faster: start with the one that was found.' ELSE CASE class
    WHEN 'graph_capture' THEN
      'Leave more free memory before the capture: capture fewer shapes or layers, let the graphs share one pool, lower the share of the card that is given to the KV cache, or capture before other large allocations. '
      || 'Run once without CUDA graphs to confirm. Cached memory cannot be given back while a capture is under way'
      || CASE WHEN private_pool_bytes > 0 THEN '; the graphs hold ' || bytes_text(private_pool_bytes) || ' now.' ELSE '.' END
    WHEN 'foreign_process' THEN
      CASE WHEN foreign_rank IS NOT NULL THEN 'Two ranks use the same card: set the device from LOCAL_RANK before the first CUDA call, and look at CUDA_VISIBLE_DEVICES of rank ' || foreign_rank || '.'
           WHEN len(foreign_processes) > 0 THEN 'Find out who process ' || array_to_string(list_transform(foreign_processes, lambda p: p.pid), ', ')
             || ' is (host pid: ps -fp, nvidia-smi)' || CASE WHEN self_unsure THEN '; it may also be this process and ' || self_pid || ' the other one' ELSE '' END || ': a rank that outlived the last run - kill it; a parent that keeps tensors - free them or start the child from a clean process; another rank of this job - set the device from LOCAL_RANK.'
           ELSE 'Run nvidia-smi (or rocm-smi) on the host' || CASE WHEN gpu_index IS NOT NULL THEN ' for GPU ' || gpu_index ELSE '' END
             || ': kill what is left of an earlier run, and see that no two ranks share the card. If no other process is there, a second library of this process (XLA, TensorFlow, RAPIDS, NCCL buffers) holds the memory.' END
    WHEN 'fragmentation' THEN CASE
      WHEN device = 'tpu' THEN 'Free or donate large buffers before the program is loaded, keep fewer programs alive, and use constant shapes, so that memory stays in one piece. '
           || coalesce('The largest piece at the bottom was ' || known_bytes(reservable_bytes) || '.', '')
      WHEN kind = 'bfc' THEN 'Use constant shapes, raise the pool (XLA_PYTHON_CLIENT_MEM_FRACTION, per_process_gpu_memory_fraction), or set TF_GPU_ALLOCATOR=cuda_malloc_async.'
      WHEN because = 'refused_although_free' THEN 'Memory was free when the request failed. Look for a limit outside the program: MIG slice, MPS or vGPU limit, another process that just ended, a driver in a bad state. Then treat it as fragmentation.'
      WHEN expandable THEN 'Expandable segments are on already: use constant or bucketed shapes, avoid tensors that live across phases, call torch.cuda.empty_cache() at phase changes, and look for blocks held by side streams (record_stream) or graph pools.'
      ELSE 'Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True' || CASE WHEN max_split THEN '' ELSE ' (or max_split_size_mb where that is not supported)' END
           || ', use constant or bucketed shapes, and call torch.cuda.empty_cache() at phase changes.' || CASE WHEN EXISTS (FROM extent) THEN ' logsift plot RUN --extents -o FILE.png draws the segments.' ELSE '' END END
    ELSE CASE because
      WHEN 'process_limit' THEN 'Raise the limit (set_per_process_memory_fraction, PYTORCH_MPS_HIGH_WATERMARK_RATIO, TORCH memory fraction) or use less memory' || CASE WHEN limit_bytes IS NULL THEN '.' ELSE ': it allows ' || bytes_text(limit_bytes) || '.' END
      WHEN 'refused_below_the_total' THEN 'The message does not say what was free: look with xpu-smi, nvidia-smi or rocm-smi for other holders of the card, and for a limit on a single allocation (Intel GPUs: 4 GiB unless relaxed limits are set; MIG, WDDM, container limits).'
      WHEN 'token_budget' THEN 'Lower --max-batch-prefill-tokens, --max-batch-total-tokens and --max-input-tokens, shard the model over more GPUs (--num-shard), or quantise it; see with nvidia-smi that the card was empty at the start.'
      WHEN 'pool_limit' THEN 'Raise the limit of the pool (' || CASE framework WHEN 'rmm' THEN 'maximum_pool_size, --rmm-maximum-pool-size' WHEN 'onnxruntime' THEN 'gpu_mem_limit' WHEN 'cupy' THEN 'CUPY_GPU_MEMORY_LIMIT, set_limit()' WHEN 'llama.cpp' THEN 'GGML_VK_FORCE_MAX_ALLOCATION_SIZE; smaller -ub, -b and -c ask for smaller buffers' ELSE 'its setting' END || '), or let less memory be held at once: smaller partitions or batches, spilling.'
      WHEN 'nothing_left_for_nccl' THEN 'Leave memory for NCCL: lower the micro-batch, call torch.cuda.empty_cache() before the communicator is made, create communicators before the cache grows, or lower NCCL_BUFFSIZE and the number of channels.'
      WHEN 'no_cache_blocks' THEN 'Raise gpu_memory_utilization, shard the model over more GPUs, quantise it, or lower max_num_seqs / max_num_batched_tokens.'
      WHEN 'no_static_memory' THEN 'Raise --mem-fraction-static (it must hold weights and KV cache), shard the model over more GPUs (--tp), or quantise it; where a larger share fails too, the model is too large for the card. See with nvidia-smi that the card was empty at the start.'
      WHEN 'token_pool_full' THEN 'Run fewer requests at once (--max-running-requests), shorten --context-length, raise --mem-fraction-static or --schedule-conservativeness.'
      WHEN 'sequence_too_long' THEN 'Lower max_model_len, raise gpu_memory_utilization, or shard the model over more GPUs.'
      WHEN 'kernel_exceeds_scratch_memory' THEN 'Use smaller tiles in the kernel (block sizes), or raise the scoped limit of the compiler; batch size and sharding of the model do not matter here.'
      ELSE CASE WHEN kind = 'refused' AND requested_bytes IS NULL THEN 'See with nvidia-smi, rocm-smi or npu-smi whether something else holds the card: the message names no numbers. ' ELSE '' END
        || CASE WHEN requested_bytes >= 0.2 * total_bytes THEN 'One tensor of ' || bytes_text(requested_bytes) || ' is the problem: compute it in chunks (logits, attention scores), shorten the sequence, or shard that layer. '
                WHEN padding >= 1.5 THEN 'Padding multiplies the temporaries by ' || padding || ': choose dimensions that are multiples of the tile (128, 8). ' ELSE '' END
        || CASE WHEN self_bytes - reserved_bytes > 3221225472 THEN bytes_text(self_bytes - reserved_bytes) || ' of this process are not PyTorch''s (NCCL buffers, other libraries): look there first. ' ELSE '' END
        || coalesce('The largest allocation is ' || known_bytes(largest_allocation_bytes) || coalesce(', made at ' || largest_allocation_source, coalesce(', for ' || largest_allocation_op, '')) || '. ', '')
        || CASE WHEN device = 'tpu' THEN 'Lower the batch per core, shard or rematerialise more.'
                WHEN framework = 'onnxruntime' THEN 'Bound the shapes (batch, sequence, image size), set arena_extend_strategy = kSameAsRequested and cudnn_conv_use_max_workspace = 0; the message does not say whether the arena is the card''s or the host''s: look at both (nvidia-smi, free -h).'
                WHEN framework = 'paddlepaddle' THEN 'See with nvidia-smi whether another process uses the card (the message cannot tell); else lower the batch, or set FLAGS_fraction_of_gpu_memory_to_use or FLAGS_allocator_strategy=auto_growth.'
                WHEN framework IN ('rmm', 'cupy', 'thrust', 'xgboost') THEN 'Hold less at once: smaller partitions, spilling, managed memory; free the pool of a second library in the same process (CuPy, PyTorch, RMM each keep their own), and see with nvidia-smi that nothing else is on the card.'
                WHEN framework = 'habana' THEN 'Lower the batch or sequence, shard the model over more cards, use fewer and smaller HPU graphs (they keep their memory), and see with hl-smi that nothing else is on the card.'
                WHEN framework = 'neuron' THEN 'Shard the model over more NeuronCores (tensor parallel degree), lower the batch or sequence; neuron-top shows who holds the memory of the core.'
                WHEN framework = 'llama.cpp' THEN 'Offload fewer layers (-ngl), shorten the context (-c), quantise the cache, or split the model over more GPUs; see with nvidia-smi that nothing else is on the card.'
                WHEN framework = 'tensorrt' THEN 'Lower the workspace limit, the largest shapes of the optimisation profile or the batch, build for a lower precision, and see with nvidia-smi that nothing else is on the card.'
                WHEN framework = 'jax' OR kind = 'bfc' THEN 'Lower the batch per GPU, shard or rematerialise more; the pool is 75 % of the card unless XLA_PYTHON_CLIENT_MEM_FRACTION says otherwise.'
                ELSE 'Lower the micro-batch or the sequence length, checkpoint activations, shard parameters, gradients and optimizer states over more GPUs.' END
        || CASE WHEN len(ranks) > 0 AND len(ranks) <= 2 THEN ' Only ' || CASE len(ranks) WHEN 1 THEN 'rank ' || ranks[1] ELSE 'ranks ' || ranges(ranks) END || ' failed: look whether it holds more than its peers (last pipeline stage, longest sequences).' ELSE '' END END
  END END AS action,
  list_prepend(line_at(file_id, line_no), CASE WHEN capture_line IS NOT NULL THEN list_prepend(line_at(file_id, capture_line), lines) ELSE lines END) AS evidence,
  "at", until, ranks, hosts, gpus,
  framework, device, gpu_index AS gpu, requested_bytes, total_bytes, free_bytes, self_bytes AS this_process_bytes, allocated_bytes, unallocated_bytes,
  reserved_bytes, private_pool_bytes, limit_bytes, reservable_bytes, largest_free_bytes, stranded_bytes, releasable_bytes, fragmentation_bytes, shortfall_bytes,
  self_bytes - reserved_bytes AS not_pytorch_bytes, self_pid, foreign_processes[1].pid AS foreign_pid,
  CASE WHEN len(foreign_processes) > 0 THEN list_transform(foreign_processes, lambda p: p.pid) END AS foreign_pids,
  CASE WHEN len(foreign_processes) > 0 OR class = 'foreign_process' THEN foreign_shown END AS foreign_bytes, foreign_rank,
  location, program, memory_space, padding, largest_allocation_bytes, largest_allocation_op, largest_allocation_source, capture_function, CASE WHEN expandable THEN true END AS expandable_segments, failures, messages
FROM named;
