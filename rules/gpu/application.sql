/*
title       = "The program made a GPU access that is not allowed"
severity    = "critical"
confidence  = "probable"
status      = "stable"
explains    = ["gpu.cuda_error", "hang", "network.peer_lost", "network.connect_failure", "crash", "loss.rollback"]
momentary   = true
about       = """
The driver stopped a GPU context because the program running in it read or wrote where it must not, sent an illegal instruction or did not yield
the GPU. The GPU is healthy. The codes 43 and 45 that follow only say that the channel was taken down.
"""
remedy      = "Run again with CUDA_LAUNCH_BLOCKING=1 or under compute-sanitizer to find the kernel; look at indexes out of range, custom kernels and library versions."
falsely     = "The same place (GPC, TPC, SM) of one GPU faults under unrelated programs: then the GPU is suspect, not the program."
references  = ["https://docs.nvidia.com/deploy/xid-errors/"]
*/
WITH apart AS (
  SELECT *, count(DISTINCT machine || coalesce(gpu, '')) OVER (PARTITION BY root_code, verdict) = 1 AS one_gpu,
         coalesce(t - max(last_t) OVER (PARTITION BY root_code, verdict, clock ORDER BY t ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > 600, true) AS is_new
  FROM gpu_burst WHERE verdict IN ('application', 'killed')
), bursts AS (   -- ranks of one program fault together; other GPUs at another time are another story
  SELECT *, CASE WHEN clock = 'wall' AND NOT one_gpu THEN count_if(is_new) OVER (PARTITION BY root_code, verdict, clock ORDER BY t) ELSE 0 END AS story FROM apart
), places AS (   -- faults again and again: always in the same unit of one GPU, or in one GPU whatever program runs there?
  SELECT machine, gpu, code, CASE WHEN count(DISTINCT place) = 1 THEN any_value(place) END AS place, list_sort(list(DISTINCT process) FILTER (process IS NOT NULL)) AS programs
  FROM (SELECT b.machine, b.gpu, x.code, regexp_replace(x.process, '[0-9:_-]+$', '') AS process,
               nullif(regexp_extract(x.message, CASE x.code WHEN 13 THEN '\((GPC [0-9]+, TPC [0-9]+(?:, SM [0-9]+)?)\)' ELSE 'ENGINE [A-Z0-9]+ ((?:GPC[0-9]+ )?[A-Z]*CLIENT_[A-Z0-9_]+)' END, 1), '') AS place
        FROM xid_line x JOIN kernel_file f USING (file_id) JOIN (SELECT machine, gpu, root_code FROM gpu_burst WHERE root_code IN (13, 31) GROUP BY ALL HAVING count(*) >= 3) b
          ON b.machine = coalesce(x.host, f.otherwise) AND b.gpu = pci_address(x.gpu) AND x.code = b.root_code)
  GROUP BY ALL HAVING count(DISTINCT place) = 1 OR count(DISTINCT process) > 2
), merged AS (
  SELECT root_code, verdict, story, arg_min(b, (CASE WHEN b.t IS NULL THEN 1 ELSE 0 END, b.t)) AS r, nullif(count(t), 0) AS bursts, sum(lines)::BIGINT AS lines, min(time) AS at, max(last_time) AS until,
         list_sort(list_distinct(flatten(list(gpus)))) AS gpus, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, list_sort(list_distinct(flatten(list(xids)))) AS xids,
         arg_max(recovery_action, (coalesce(last_t, 0), line_no)) FILTER (recovery_action IS NOT NULL) AS recovery_action, flatten(list(evidence ORDER BY t))[1:20] AS evidence, list_distinct(flatten(list(CASE WHEN any_pid IS NULL THEN [] ELSE [any_pid] END))) AS pids
  FROM bursts b GROUP BY root_code, verdict, story
), amd AS (
  SELECT coalesce(arg_min(gpu, line_no) FILTER (gpu IS NOT NULL), -- old kernels tell the ring alone; the reset that follows names the GPU
                  (SELECT arg_min(r.gpu, r.line_no) FROM amdgpu_event r WHERE r.file_id = e.file_id AND r.host IS NOT DISTINCT FROM e.host AND r.gpu IS NOT NULL AND r.kind IN ('reset', 'reset_failed') AND r.line_no BETWEEN min(e.line_no) AND min(e.line_no) + 40)) AS gpu,
         host, file_id, list(DISTINCT kind) AS kinds, arg_min(pid, line_no) FILTER (kind IN ('process', 'page_fault')) AS pid,
         arg_min(process, line_no) FILTER (process IS NOT NULL) AS process, arg_min(block, line_no) FILTER (kind = 'ring_timeout') AS block, any_value(rank) AS rank,
         min(time) AS at, max(time) AS until, count(*) AS lines, list(line_at(file_id, line_no) ORDER BY line_no)[1:20] AS evidence
  FROM amdgpu_event e WHERE kind IN ('page_fault', 'ring_timeout', 'process', 'memory_access_fault')
  GROUP BY host, file_id HAVING bool_or(kind <> 'process')
), amd_faults AS (   -- the program's runtime and the kernel tell one fault, where each names one GPU: by its number among the nodes, and by its address
  SELECT k.* REPLACE (list_concat(k.evidence, coalesce(r.evidence, []))[1:20] AS evidence, coalesce(k.rank, r.rank) AS rank, k.lines + coalesce(r.lines, 0) AS lines)
  FROM (SELECT *, count_if(gpu LIKE 'node%') OVER () AS by_runtime, count_if(gpu LIKE '%:%') OVER () AS by_kernel FROM amd) k
  LEFT JOIN amd r ON k.by_runtime = 1 AND k.by_kernel = 1 AND k.gpu LIKE '%:%' AND r.gpu LIKE 'node%' AND (r.host IS NULL OR k.host IS NULL OR r.host = k.host)
  WHERE NOT (k.by_runtime = 1 AND k.by_kernel = 1 AND k.gpu LIKE 'node%' AND EXISTS (FROM amd o WHERE o.gpu LIKE '%:%' AND (o.host IS NULL OR k.host IS NULL OR o.host = k.host)))
)
SELECT concat('GPU ', array_to_string(gpus[1:8], ', '), CASE WHEN len(hosts) > 0 THEN ' of ' || array_to_string(list_sort(hosts)[1:5], ', ') ELSE '' END, ': Xid ', m.root_code, ', ', coalesce(c.short_meaning, 'not in the catalogue'),
              CASE WHEN r.gpu_instance IS NOT NULL THEN ', in its MIG instance ' || r.gpu_instance ELSE '' END,
              CASE WHEN r.any_process IS NOT NULL THEN format(' (process {}, pid {})', r.any_process, r.any_pid) WHEN r.any_pid IS NOT NULL THEN format(' (pid {})', r.any_pid) ELSE '' END,
              CASE WHEN lines > 1 THEN format(', {} lines', lines) ELSE '' END) AS summary,
       evidence, "at", until, hosts, gpus, CASE WHEN verdict = 'killed' THEN 'info' WHEN m.root_code IN (43, 109, 108, 137) OR c.class = 'driver' THEN 'warning' ELSE 'critical' END AS severity,
       CASE WHEN verdict = 'killed' OR len(p.programs) > 2 THEN 'possible' END AS confidence,
       CASE WHEN verdict = 'killed' THEN 'The driver only cleaned up after a process that ended or was killed: look for what ended it.'
            WHEN len(p.programs) > 2 THEN format('Unrelated programs ({}) fault on this one GPU: run one of them on another GPU; if it does not fault there, diagnose this GPU (dcgmi diag -r 3) and take it out.', array_to_string(p.programs[1:4], ', '))
            WHEN p.place IS NOT NULL THEN format('Every one of {} faults is in the same unit ({}): run the same program on another GPU; if it does not fault there, or other programs fault here, diagnose this GPU (dcgmi diag -r 3). Else find the fault in the program.', bursts, p.place)
            WHEN recovery_action IS NOT NULL OR m.root_code = 109 THEN 'Find the fault in the program (CUDA_LAUNCH_BLOCKING=1, compute-sanitizer); reset the GPU before the next job.' END AS action,
       'nvidia' AS vendor, m.root_code AS xid, xids, m.root_code AS root_code, r.gpu AS pci, r.any_pid AS pid, r.any_process AS process, pids, lines, bursts, r.advice AS recommended_action,
       recovery_action, strftime("at", '%Y-%m-%dT%H:%M:%S') AS first_time,
       CASE WHEN m.root_code = 13 THEN nullif(trim(regexp_extract(r.message, 'Warp Exception on \([^)]*\): (.*)$', 1)), '') END AS exception_type,
       CASE WHEN m.root_code = 31 THEN nullif(regexp_extract(r.message, '(FAULT_[A-Z_]+)', 1), '') END AS fault_type,
       CASE WHEN m.root_code = 31 THEN nullif(regexp_extract(r.message, 'ACCESS_TYPE_([A-Z_]+)', 1), '') END AS access_type,
       CASE WHEN m.root_code = 31 THEN nullif(regexp_extract(r.message, 'ENGINE ([A-Z0-9]+)', 1), '') END AS engine,
       CASE WHEN m.root_code = 31 THEN nullif(regexp_extract(r.message, 'faulted @ (0x[0-9a-f_]+)', 1), '') END AS fault_address,
       p.place AS same_unit, CASE WHEN len(p.programs) > 2 THEN p.programs END AS programs, r.gpu_instance AS gpu_instance, r.compute_instance AS compute_instance, NULL::VARCHAR AS error, []::BIGINT[] AS ranks
FROM merged m LEFT JOIN xid_catalog c ON c.code = m.root_code LEFT JOIN places p ON p.code = m.root_code AND len(m.gpus) = 1 AND p.machine = m.r.machine AND p.gpu = m.r.gpu
UNION ALL BY NAME
SELECT concat('AMD GPU ', coalesce(gpu, 'without an address'), CASE WHEN host IS NOT NULL THEN ' of ' || host ELSE '' END, ': ',
              CASE WHEN list_contains(kinds, 'ring_timeout') THEN 'work on ring ' || coalesce(block, '?') || ' did not end in time' ELSE 'the program accessed an address that is not mapped' END,
              CASE WHEN process IS NOT NULL THEN format(' (process {}, pid {})', process, pid) ELSE '' END) AS summary,
       evidence, "at", until, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, CASE WHEN gpu IS NULL THEN [] WHEN gpu LIKE 'node%' THEN [gpu] ELSE [pci_address(gpu)] END AS gpus,
       'critical' AS severity, 'Run again with AMD_SERIALIZE_KERNEL=3 and HIP_LAUNCH_BLOCKING=1 to find the kernel.' AS action, 'amd' AS vendor,
       CASE WHEN gpu NOT LIKE 'node%' THEN pci_address(gpu) END AS pci, pid, process, lines,
       CASE WHEN list_contains(kinds, 'ring_timeout') THEN 'ring timeout' ELSE 'page fault' END AS error, CASE WHEN rank IS NOT NULL THEN [rank] ELSE [] END AS ranks
FROM amd_faults
UNION ALL BY NAME
SELECT format('Gaudi {}{}: ', array_to_string(list_sort(list(DISTINCT gpu))[1:8], ', '), coalesce(' of ' || host, ''))
         || CASE WHEN bool_or(kind = 'page_fault') THEN 'the program accessed an address that is not mapped' ELSE 'work of the program did not end in time' END AS summary,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:20] AS evidence, min(time) AS "at", max(time) AS until, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts,
       list_sort(list(DISTINCT gpu) FILTER (gpu IS NOT NULL)) AS gpus, CASE WHEN bool_or(kind = 'page_fault') THEN 'critical' ELSE 'warning' END AS severity,
       'Find the graph that was running (LOG_LEVEL_ALL=3 in the program''s environment, the logs in HABANA_LOGS); a rank that waits for another in a collective times out so too: look for the rank that is missing.' AS action,
       'intel' AS vendor, CASE WHEN bool_or(kind = 'page_fault') THEN 'page fault' ELSE 'timeout' END AS error, count(*) AS lines
FROM accelerator_event WHERE kind IN ('page_fault', 'timeout')
GROUP BY host, file_id
