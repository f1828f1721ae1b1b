/*
title       = "The GPU runtime returned an error to the program"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "crash", "loss.rollback"]
momentary   = true
about       = """
The first error of the CUDA or HIP runtime that each process printed; later ones of the same process repeat it, because the context is lost with the
first. Errors are reported asynchronously: the line of Python that raises is usually not the one that caused it. Without a kernel log it cannot be
told whether the program or the GPU is at fault, except where the error itself names the hardware.
"""
remedy      = "Get the kernel log of the host (dmesg -T | grep -i xid); run again with CUDA_LAUNCH_BLOCKING=1 to find the call that fails."
falsely     = "The program caught the error and went on (a probe of an optional feature)."
references  = ["https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html"]
*/
WITH firsts AS (
  SELECT * FROM cuda_error c
  WHERE kind <> 'incompatible' AND NOT (kind = 'oom' AND said_as = 'quoted')
    -- while a graph is captured every other failure says so too; by itself it is the program's: a call that a capture does not allow
    AND NOT (kind = 'capture' AND (EXISTS (FROM cuda_error o WHERE o.kind NOT IN ('capture', 'incompatible')) OR EXISTS (FROM oom_event) OR NOT EXISTS (FROM exception x WHERE x.file_id = c.file_id AND c.line_no BETWEEN x.line_no - 1 AND x.line_no + 3)))
  QUALIFY row_number() OVER (PARTITION BY file_id, stream ORDER BY line_no) = 1
), placed AS (   -- the process's rank may stand in a later line only: where one rank alone tells of this error, it is that one's
  SELECT f.* REPLACE (coalesce(f.rank, o.rank) AS rank)
  FROM firsts f LEFT JOIN (SELECT file_id, stream, name, min(rank) AS rank FROM cuda_error WHERE rank IS NOT NULL GROUP BY ALL HAVING count(DISTINCT rank) = 1) o
    ON o.file_id = f.file_id AND o.name = f.name AND o.stream IS NOT DISTINCT FROM f.stream
), kinds AS (
  SELECT *, bool_or(kind = 'hardware') OVER () AS any_hardware FROM placed
), grouped AS (
  SELECT code, name, kind, any_value(api) AS api, list_sort(list(DISTINCT rank) FILTER (rank IS NOT NULL)) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, list(DISTINCT local_rank) FILTER (local_rank IS NOT NULL AND rank IS NULL) AS local_ranks, list(DISTINCT task) FILTER (task IS NOT NULL AND rank IS NULL) AS tasks,
         min(time) AS at, max(time) AS until, count(*) AS processes, list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:20] AS evidence, any_value(text) AS text,
         arg_min(file_id, coalesce(epoch(time), line_no)) AS file_id, arg_min(line_no, coalesce(epoch(time), line_no)) AS line_no
  FROM kinds WHERE NOT (any_hardware AND kind = 'fault') GROUP BY code, name, kind
), framed AS (   -- where the program was: pages of the host are pinned through the same call, with the same error
  SELECT g.*, EXISTS (FROM exception e WHERE e.file_id = g.file_id AND abs(e.line_no - g.line_no) <= 3 AND len(list_filter(e.frames, lambda f: regexp_matches(f, 'pin_memory|[Hh]ostAlloc'))) > 0)
         OR EXISTS (FROM pinned_call p WHERE p.file_id = g.file_id AND g.line_no - p.line_no BETWEEN 1 AND 3) AS pinned
  FROM grouped g
), asserts AS (
  SELECT any_value(source) AS source, any_value(line) AS line, any_value(kernel) AS kernel, any_value(assertion) AS assertion, count(*) AS threads, list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:3] AS evidence,
         list_sort(list(DISTINCT rank) FILTER (rank IS NOT NULL)) AS ranks, min(time) AS at
  FROM device_assert
)
SELECT concat(CASE WHEN len(g.ranks) > 0 THEN CASE WHEN len(g.ranks) = 1 THEN 'rank ' ELSE 'ranks ' END || ranges(g.ranks) || ': ' ELSE '' END, name, CASE WHEN code IS NOT NULL THEN ' (' || code || ')' ELSE '' END,
              CASE WHEN kind <> 'library' AND lower(text) <> lower(name) THEN ', ' || text ELSE '' END, CASE WHEN a.assertion IS NOT NULL THEN format(': assert `{}` at {}:{}', a.assertion, a.source, a.line) ELSE '' END) AS summary,
       flatten([g.evidence, coalesce(a.evidence, [])]) AS evidence, g.ranks, g.hosts, g.at, g.until,
       -- a library that could not make its handle, in a job whose memory is known to have run out: an echo
       CASE WHEN kind = 'config' THEN 'warning' WHEN kind = 'library' AND (name LIKE '%ALLOC_FAILED' OR name LIKE '%NOT_INITIALIZED') AND EXISTS (FROM oom_incident WHERE severity IS NULL) THEN 'info' ELSE 'critical' END AS severity,
       CASE kind WHEN 'hardware' THEN 'definite' WHEN 'assert' THEN 'definite' WHEN 'access' THEN 'definite' ELSE 'probable' END AS confidence,
       CASE WHEN code = 214 OR code = 220 OR code = 226 THEN 'The GPU or its link has an uncorrectable error: take the node' || CASE WHEN len(g.hosts) > 0 THEN ' ' || array_to_string(g.hosts, ', ') ELSE '' END || ' out, look for Xid 48, 63, 64, 94, 95 or 74 in its kernel log, reset the GPU.'
            WHEN code = 802 THEN 'Start nvidia-fabricmanager and look at its log: NVSwitch systems do not initialise CUDA without it.'
            WHEN code IN (46, 100, 127, 304) THEN 'See whether nvidia-smi lists every GPU of the node, and the kernel log for Xid 79 or 119; look for processes in exclusive mode.'
            WHEN kind = 'oom' AND pinned THEN 'Pinned host memory could not be had, not memory of the card: look at the host''s free memory, ulimit -l and the cgroup''s limit; use fewer workers with pin_memory or a smaller offload buffer.'
            WHEN kind = 'oom' THEN 'The card was full or broken before the program used it: look with nvidia-smi for processes left over, then for ECC errors of that GPU; a smaller batch does not help.'
            WHEN kind = 'capture' THEN 'A call that waits for the GPU, allocates outside the graph''s pool or uses another stream is not allowed while a graph is captured: find it in the stack below, warm it up before the capture, or run without CUDA graphs.'
            WHEN kind = 'assert' THEN 'An index or label is out of range: check it on the CPU, or run with CUDA_LAUNCH_BLOCKING=1.'
            WHEN kind = 'access' THEN 'Run under compute-sanitizer or with CUDA_LAUNCH_BLOCKING=1; look for Xid 13 or 31 in the kernel log to see which GPU and process.'
            WHEN name = 'HSA_STATUS_ERROR_OUT_OF_RESOURCES' THEN 'The runtime could not get a queue, scratch memory or a signal for a kernel; the card''s memory need not be full (the line says what was free). Look in the kernel log for amdgpu and kfd errors, at the number of processes on the GPU, ulimit -n and -l; run again with AMD_SERIALIZE_KERNEL=3 to find the kernel.'
            WHEN api = 'hip' AND kind IN ('fault', 'access') THEN 'Look in the kernel log (dmesg -T | grep -i amdgpu) for page faults, ring timeouts and RAS errors; run again with AMD_SERIALIZE_KERNEL=3 and HIP_LAUNCH_BLOCKING=1 to find the kernel.'
            WHEN api = 'level_zero' THEN 'Look in the kernel log (dmesg -T | grep -iE "xe|i915") for a GPU hang or reset; Intel''s driver loses the device too where more memory is asked for than there is: lower the batch and watch xpu-smi.'
            WHEN kind = 'library' THEN 'Often the sign of an earlier error or of a full card: look at the free memory at that moment and run with CUDA_LAUNCH_BLOCKING=1.' END AS action,
       name AS cuda_error, name AS error, code AS cuda_error_code, kind, CASE WHEN pinned AND kind = 'oom' THEN true END AS pinned_host_memory, api, CASE WHEN len(g.local_ranks) = 1 THEN g.local_ranks[1] END AS local_rank, CASE WHEN len(g.tasks) = 1 THEN g.tasks[1] END AS task, g.processes, a.assertion, a.kernel, a.source, a.line,
       (SELECT min_by(upper(o.api) || ' error: ' || o.text, (o.file_id, o.line_no)) FROM grouped o WHERE o.name <> g.name AND g.kind = 'hardware') AS second_error,
       (SELECT max(m.step) FROM metric m WHERE m.file_id = g.file_id AND m.line_no < g.line_no) AS iteration
FROM framed g LEFT JOIN asserts a ON g.kind = 'assert' AND a.threads > 0
UNION ALL BY NAME
SELECT format('assert `{}` failed in kernel {} ({}:{})', assertion, kernel, source, line) AS summary, evidence, ranks, "at", 'definite' AS confidence, 'critical' AS severity,
       'An index or label is out of range: check it on the CPU, or run with CUDA_LAUNCH_BLOCKING=1.' AS action, 'cudaErrorAssert' AS cuda_error, 'cudaErrorAssert' AS error, 710 AS cuda_error_code, 'assert' AS kind, assertion, kernel, source, line
FROM asserts WHERE threads > 0 AND NOT EXISTS (SELECT 1 FROM grouped WHERE kind = 'assert')
UNION ALL BY NAME
-- NCCL gives up because of an error of the runtime, and the log does not say which.
SELECT coalesce('rank ' || ranges(list(DISTINCT e.rank) FILTER (e.rank IS NOT NULL)) || ': ', '') || 'a call of NCCL to the GPU runtime failed; which error it was is not in this log' AS summary,
       list(line_at(e.file_id, e.line_no) ORDER BY e.file_id, e.line_no)[:20] AS evidence, list_sort(list(DISTINCT e.rank) FILTER (e.rank IS NOT NULL)) AS ranks, list(DISTINCT e.host) FILTER (e.host IS NOT NULL) AS hosts, min(e.time) AS "at", max(e.time) AS until,
       'warning' AS severity, 'possible' AS confidence, 'Run again with NCCL_DEBUG=WARN: NCCL then prints the error of the runtime and the call that failed.' AS action, count(*) AS processes, any_value(e.error) AS error
FROM c10d_nccl_error e
WHERE e.error LIKE 'unhandled cuda error%' AND NOT EXISTS (FROM cuda_error) AND NOT EXISTS (FROM nccl_cuda_failure) AND NOT EXISTS (FROM nccl_usage) AND NOT EXISTS (FROM oom_event) AND NOT EXISTS (FROM nccl_shm_failure)
  AND NOT EXISTS (FROM kernel_event) AND NOT EXISTS (FROM fatal_exception WHERE kind <> 'collective')
HAVING count(*) > 0
