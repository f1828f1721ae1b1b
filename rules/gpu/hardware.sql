/*
title       = "A GPU, its memory, its link or its firmware failed"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["gpu.application", "gpu.cuda_error", "hang", "network", "divergence", "crash", "host.preempted", "loss.rollback", "perf.slowdown"]
momentary   = true
about       = """
The driver reported a fault that no program causes: the GPU left the bus, its memory has an uncorrectable error, its firmware stopped answering, an
NVLink broke. All work on that GPU is lost; every other rank of the job then waits for it or sees its connections close. Of several codes in one
burst (less than three minutes apart) the one that causes the others is named; 43, 45 and 154 only follow.
"""
remedy      = "Take the node out of the pool, reset the GPU (nvidia-smi -r) or reboot, run a diagnosis (dcgmi diag -r 3) before it comes back; open a repair ticket if it comes again."
falsely     = "The log is from an earlier boot or another time than the job's; someone reset the GPU or unloaded the driver on purpose."
references  = ["https://docs.nvidia.com/deploy/xid-errors/", "https://docs.nvidia.com/deploy/gpu-debug-guidelines/"]
*/
WITH apart AS (
  SELECT *, coalesce(root_kind = 'sxid' OR class = 'nvlink', false) AS fabric,
         coalesce(t - max(last_t) OVER (PARTITION BY root_kind, root_code ORDER BY clock, t ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > 180, true) AS is_new,
         coalesce(clock = 'wall' AND t - max(last_t) OVER (PARTITION BY machine, gpu, clock ORDER BY t ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > 43200, false) AS is_another_day,
         count(DISTINCT machine || clock) OVER (PARTITION BY root_kind, root_code) = 1 AS one_machine
  FROM gpu_burst WHERE verdict = 'hardware'
), bursts AS (
  SELECT *,
         -- A fabric fault shows on every machine of the fabric at once; everything else belongs to one GPU.
         CASE WHEN NOT fabric THEN machine || coalesce(gpu, '') || ' ' || count_if(is_another_day) OVER (PARTITION BY machine, gpu, clock ORDER BY t)
              WHEN one_machine THEN root_kind || root_code
              ELSE root_kind || root_code || CASE WHEN clock = 'wall' THEN ' ' || count_if(is_new) OVER (PARTITION BY root_kind, root_code ORDER BY clock, t) ELSE machine END END AS what
  FROM apart
), merged AS (
  SELECT what, arg_min(b, (CASE WHEN b.t IS NULL THEN 1 ELSE 0 END, CASE WHEN b.root_code IS NULL THEN 1 ELSE 0 END, b.t)) AS r, nullif(count(t), 0) AS bursts, sum(lines)::BIGINT AS lines,
         min(time) AS at, max(last_time) AS until, list_distinct(flatten(list(gpus))) AS gpus, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
         list_sort(list_distinct(flatten(list(xids)))) AS xids, list_sort(list_distinct(flatten(list(sxids)))) AS sxids, arg_max(recovery_action, (coalesce(last_t, 0), line_no)) FILTER (recovery_action IS NOT NULL) AS recovery_action,
         bool_or(memory) AS memory, flatten(list(evidence ORDER BY t))[1:20] AS evidence, list(DISTINCT machine) AS machines
  FROM bursts b GROUP BY what
), named AS (
  -- poison that came with a refused access over NVLink, and no word of a broken memory cell, need not be a memory error
  SELECT m.*, coalesce(r.root_code = 94 AND list_contains(xids, 137) AND NOT list_has_any(xids, [48, 63, 64, 95, 140, 160, 171, 172]), false) AS over_nvlink, n.gpu_uuid, n.serial, CASE WHEN n.file_id IS NOT NULL THEN [line_at(n.file_id, n.line_no)] ELSE [] END AS name_evidence, c.short_meaning, c.immediate_action, c.investigatory_action,
         c.mnemonic, s.short_meaning AS s_meaning, s.mnemonic AS s_mnemonic, q.suppressed
  FROM merged m
  LEFT JOIN (SELECT coalesce(e.host, f.otherwise) AS machine, sum(e.count)::BIGINT AS suppressed FROM kernel_event e JOIN kernel_file f USING (file_id) WHERE e.kind = 'suppressed' GROUP BY ALL) q
         ON q.machine = m.r.machine   -- the kernel and the journal drop lines of floods: what is counted is the least there was
  LEFT JOIN (SELECT machine, gpu, any_value(gpu_uuid) AS gpu_uuid, any_value(serial) AS serial, min(file_id) AS file_id, min(line_no) AS line_no FROM gpu_name GROUP BY ALL) n
         ON n.machine = m.r.machine AND n.gpu = m.r.gpu
  LEFT JOIN xid_catalog c ON m.r.root_kind IN ('xid', 'lost') AND c.code = m.r.root_code
  LEFT JOIN sxid_catalog s ON m.r.root_kind = 'sxid' AND s.code = m.r.root_code
), nvidia AS (
  SELECT concat(CASE WHEN r.root_kind = 'sxid' THEN 'NVSwitch ' ELSE 'GPU ' END, r.gpu, CASE WHEN len(hosts) > 0 THEN ' of ' || array_to_string(list_sort(hosts)[1:5], ', ') || CASE WHEN len(hosts) > 5 THEN ' and others' ELSE '' END ELSE '' END, ': ',
                CASE r.root_kind WHEN 'sxid' THEN 'SXid ' || r.root_code || ', ' || coalesce(s_meaning, r.message, 'not in the catalogue')
                     WHEN 'init_failed' THEN 'the driver cannot initialise it (' || r.message || ')'
                     WHEN 'no_handle' THEN 'nvidia-smi cannot reach it (' || r.message || ')'
                     ELSE 'Xid ' || r.root_code || ', ' || coalesce(short_meaning, 'not in the catalogue') END,
                CASE WHEN r.unit <> '' THEN format(' ({}{}{})', r.unit, CASE WHEN r.link NOT LIKE '-%' THEN ', link ' || try_cast(r.link AS BIGINT) ELSE '' END, CASE WHEN r.link_down_reason > 0 THEN ', reason ' || r.link_down_reason ELSE '' END) ELSE '' END,
                CASE WHEN lines > 1 THEN format(' ({}{} lines{})', CASE WHEN suppressed > 0 THEN 'at least ' ELSE '' END, lines, CASE WHEN bursts > 1 THEN format(' in {} bursts', bursts) ELSE '' END) ELSE '' END) AS summary,
         flatten([evidence, name_evidence]) AS evidence, "at", until, hosts, CASE WHEN r.root_kind = 'sxid' THEN [] ELSE gpus END AS gpus,
         CASE WHEN over_nvlink THEN 'possible' WHEN r.root_kind IN ('init_failed', 'no_handle') OR r.root_code IN (61, 12028, 57, 58, 59) OR (r.root_code BETWEEN 144 AND 150 AND NOT r.fatal) THEN 'probable' ELSE 'definite' END AS confidence,
         CASE WHEN r.root_code IN (61, 12028) OR r.root_kind IN ('init_failed') THEN 'warning' ELSE 'critical' END AS severity,
         upper(left(r.advice, 1)) || substr(r.advice, 2)
           || CASE WHEN len(hosts) > 0 THEN ' on ' || array_to_string(list_sort(hosts)[1:5], ', ') ELSE '' END || CASE WHEN r.root_code = 12028 THEN '; watch whether it comes again.' WHEN over_nvlink THEN '. Accesses over NVLink were refused at the same time (Xid 137): look first at the counters of nvidia-smi -q -d ECC. Without an uncorrectable error there, a program reached for memory of another GPU that is not there (any more): find the rank that ended or failed first.' ELSE '; take the node out of the pool until a diagnosis (dcgmi diag -r 3) passes.' END
           || CASE WHEN recovery_action IS NOT NULL THEN ' The driver asks for: ' || CASE recovery_action WHEN 1 THEN 'GPU reset' WHEN 2 THEN 'node reboot' WHEN 3 THEN 'drain of P2P work' WHEN 4 THEN 'drain and reset' WHEN 5 THEN 'recovery of the IMEX domain' ELSE 'action ' || recovery_action END || '.' ELSE '' END
           || CASE WHEN r.decoded_investigatory LIKE 'investigate_peer%' THEN ' This end only saw it: the device at the other end of the link went down, look there first.'
                   WHEN r.decoded_investigatory LIKE 'investigate_link_si%' THEN ' The signal on the link was lost: check its cables and connectors.'
                   WHEN r.decoded_investigatory LIKE 'investigate_sw%' THEN ' Software or a person took the link down: find out who.'
                   WHEN r.decoded_investigatory LIKE 'sympathetic%' THEN ' Usually the echo of another error of the fabric: look for that one.' ELSE '' END
           || CASE WHEN r.decoded_investigatory IS NULL AND investigatory_action <> '' THEN ' NVIDIA''s catalogue, to find out why: ' || replace(investigatory_action, '_', ' ') || '.' ELSE '' END AS action,
         'nvidia' AS vendor, CASE WHEN r.root_kind <> 'sxid' THEN r.root_code END AS xid, xids, CASE WHEN len(sxids) > 0 THEN sxids END AS sxids, r.root_code AS root_code, r.gpu AS pci, gpu_uuid, serial AS board_serial,
         nullif(r.advice, '') AS recommended_action, immediate_action, coalesce(mnemonic, s_mnemonic) AS mnemonic,
         CASE WHEN r.root_code IN (94, 95) THEN nullif(trim(regexp_extract(r.message, '(?:Contained|Uncontained): ([A-Za-z0-9/ ]+?) ?[(.]', 1)), '')
              ELSE nullif(r.unit, '') END AS unit,
         CASE regexp_extract(r.message, '[^-]RST: (Yes|No)', 1) WHEN 'Yes' THEN true WHEN 'No' THEN false END AS rst,
         CASE regexp_extract(r.message, 'D-RST: (Yes|No)', 1) WHEN 'Yes' THEN true WHEN 'No' THEN false END AS d_rst,
         CASE WHEN r.root_kind = 'sxid' OR r.root_code BETWEEN 144 AND 150 THEN CASE WHEN r.fatal THEN 'fatal' WHEN NOT r.fatal THEN 'non-fatal' END END AS error_severity,
         r.gpu_instance AS gpu_instance, r.compute_instance AS compute_instance, recovery_action, memory, try_cast(nullif(regexp_extract(r.message, '[Ll]ink ([0-9]+)', 1), '') AS BIGINT) AS link,
         r.link_down_reason AS link_down_reason, nullif(r.error_status, '') AS error_status, r.decoded_action AS sub_code_action, r.decoded_investigatory AS sub_code_investigation,
         nullif(regexp_extract(r.message, 'physAddr:? (0x[0-9a-fA-F]+)', 1), '') AS phys_addr,
         CASE WHEN r.root_code IN (119, 120) THEN nullif(regexp_extract(r.message, '\((GSP_[A-Z_]+|[A-Z][A-Z0-9_]{5,})\)', 1), '') END AS rpc_function,
         CASE WHEN r.root_code NOT IN (119, 120) THEN r.any_pid END AS pid, CASE WHEN r.root_code NOT IN (119, 120) THEN r.any_process END AS process,
         strftime("at", '%Y-%m-%dT%H:%M:%S') AS first_time, lines, bursts, suppressed AS suppressed_lines, NULL::VARCHAR AS error, NULL::BIGINT AS event_id
  FROM named
), service AS (   -- repairs that are due: context, no job ends by them
  SELECT format('GPU {}: Xid {}, {}', gpu, root_code, any_value(c.short_meaning)) AS summary, flatten(list(evidence))[1:10] AS evidence, min(time) AS at, max(last_time) AS until,
         list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, [gpu] AS gpus, 'definite' AS confidence, 'info' AS severity,
         'No job ends by this. ' || upper(left(any_value(advice), 1)) || substr(any_value(advice), 2) || '.' AS action, 'nvidia' AS vendor, root_code AS xid, list_distinct(flatten(list(xids))) AS xids, root_code, gpu AS pci,
         sum(lines)::BIGINT AS lines
  FROM gpu_burst b LEFT JOIN xid_catalog c ON c.code = b.root_code WHERE verdict = 'service' GROUP BY machine, gpu, root_code
), amd AS (
  SELECT coalesce(arg_min(a.gpu, a.line_no) FILTER (kind = 'ras'), arg_min(a.gpu, a.line_no)) AS gpu, any_value(a.host) AS host, arg_min(error, a.line_no) FILTER (error IS NOT NULL) AS error,
         any_value(block) FILTER (block IS NOT NULL) AS block, any_value(event_id) AS event_id, min(time) AS at, max(time) AS until, list(DISTINCT kind) AS kinds, count(*) AS lines,
         list(line_at(a.file_id, a.line_no) ORDER BY a.line_no)[1:20] AS evidence, arg_min(message, a.line_no) AS message
  FROM amdgpu_event a
  WHERE kind IN ('ras', 'ras_count', 'reset_failed', 'hw_exception', 'init_failed')
     OR (kind IN ('reset', 'scheduler_hung') AND (kind = 'reset' OR a.gpu IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM amdgpu_event o WHERE o.file_id = a.file_id AND o.kind IN ('ring_timeout', 'page_fault', 'ras', 'ras_count') AND o.line_no < a.line_no))
  GROUP BY coalesce(event_id::VARCHAR, a.gpu, ''), a.host, a.file_id
)
SELECT * FROM nvidia
UNION ALL BY NAME SELECT * FROM service
UNION ALL BY NAME
SELECT concat('AMD GPU ', gpu, CASE WHEN host IS NOT NULL THEN ' of ' || host ELSE '' END, ': ',
              CASE WHEN error IS NOT NULL THEN 'uncorrectable hardware error ' || error WHEN list_contains(kinds, 'ras_count') THEN 'uncorrectable hardware errors in block ' || coalesce(block, '?')
                   WHEN list_contains(kinds, 'reset_failed') THEN 'the driver could not reset it' WHEN list_contains(kinds, 'init_failed') THEN 'the driver cannot bring it up (' || message || ')' WHEN list_contains(kinds, 'hw_exception') THEN 'hardware exception, ' || message
                   WHEN list_contains(kinds, 'scheduler_hung') THEN 'the scheduler in its firmware does not answer any more' || CASE WHEN list_contains(kinds, 'reset') THEN ', and the driver reset it: all programs on it lost their memory' ELSE '' END
                   ELSE 'the driver reset it; all programs on it lost their memory' END) AS summary,
       evidence, "at", until, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, CASE WHEN gpu IS NULL THEN [] WHEN gpu LIKE 'node%' THEN [gpu] ELSE [pci_address(gpu)] END AS gpus,
       CASE WHEN error IS NOT NULL OR list_contains(kinds, 'ras_count') OR list_contains(kinds, 'reset_failed') THEN 'definite' WHEN list_contains(kinds, 'scheduler_hung') THEN 'possible' ELSE 'probable' END AS confidence, CASE WHEN kinds = ['init_failed'] THEN 'warning' ELSE 'critical' END AS severity,
       CASE WHEN list_contains(kinds, 'scheduler_hung') AND NOT list_contains(kinds, 'ras') THEN 'Run the job again with the newest GPU firmware and amdgpu driver; where it hangs on this node only, take the node out and diagnose the GPU (rvs), else look for a kernel that does not end.' 
            ELSE 'Take the node out of the pool, reboot it and run a diagnosis (rvs, amd-smi ras); replace the GPU if the error comes again.' END AS action,
       'amd' AS vendor, CASE WHEN gpu NOT LIKE 'node%' THEN pci_address(gpu) END AS pci, error, event_id, block AS unit, coalesce(block = 'umc', false) AS memory, lines
FROM amd
UNION ALL BY NAME
-- An Xid tells which GPU it is; where there is none, the driver's own count of its GPUs is all that is known.
SELECT format('{}{}: its firmware (GSP) does not answer the driver', coalesce('GPU ' || gpu_index || ', as the driver counts', 'a GPU'), coalesce(' on ' || host, '')) AS summary,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:10] AS evidence, min(time) AS "at", max(time) AS until, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, 'probable' AS confidence, 'critical' AS severity,
       'Reset the GPU or reboot the node, and take it out of the pool until a diagnosis (dcgmi diag -r 3) passes; nvidia-smi -q tells which GPU cannot be reached.' AS action,
       'nvidia' AS vendor, min(message) AS error, false AS memory, gpu_index, count(*) AS lines
FROM nvrm_event e WHERE kind = 'gsp_timeout' AND NOT EXISTS (FROM xid_line x WHERE x.file_id = e.file_id AND x.code IN (79, 119, 120)) GROUP BY file_id, host, gpu_index
UNION ALL BY NAME
SELECT format('{} {}{}: ', CASE vendor WHEN 'aws' THEN 'Neuron device' ELSE 'Gaudi' END, coalesce(array_to_string(list_sort(list(DISTINCT gpu))[1:8], ', '), 'card'), coalesce(' of ' || host, ''))
         || CASE WHEN bool_or(kind = 'memory') THEN 'its memory has an error that cannot be corrected' WHEN bool_or(kind = 'failed') THEN 'the driver reports ' || any_value(replace(message, 'NEURON_HW_ERR=', '')) FILTER (kind = 'failed')
                 WHEN bool_or(kind = 'not_usable') THEN 'the driver cannot bring it up: no program can use it' ELSE 'its firmware does not answer' END AS summary,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:20] AS evidence, min(time) AS "at", max(time) AS until, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts,
       list_sort(list(DISTINCT gpu) FILTER (gpu IS NOT NULL)) AS gpus, CASE WHEN bool_or(kind <> 'firmware') THEN 'definite' ELSE 'probable' END AS confidence, 'critical' AS severity,
       CASE vendor WHEN 'aws' THEN 'Take the instance out and replace it (stop and start, or terminate): the accelerator is broken.'
            ELSE 'Take the node out of the pool, reboot it, see that hl-smi lists all cards, and run hl_qual before it comes back; where a card stays away, open a repair ticket.' END AS action,
       vendor, arg_min(message, line_no) AS error, bool_or(kind = 'memory') AS memory, count(*) AS lines
FROM accelerator_event WHERE kind IN ('not_usable', 'firmware', 'memory', 'failed') GROUP BY host, file_id, vendor
UNION ALL BY NAME
SELECT format('GPU {}{}: {}', gpu, coalesce(' of ' || any_value(host), ''), CASE WHEN bool_or(verdict = 'uncorrectable') THEN 'uncorrectable memory errors since its last reset' WHEN bool_or(verdict = 'replace') THEN 'its memory can no longer be repaired' ELSE 'it asks for recovery: ' || any_value(value) FILTER (verdict = 'recovery') END)
         || ', says nvidia-smi' AS summary,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:10] AS evidence, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, [gpu] AS gpus, CASE WHEN bool_or(verdict = 'replace') THEN 'definite' ELSE 'probable' END AS confidence,
       -- where the driver told of the same GPU, its own lines are the incident
       CASE WHEN EXISTS (SELECT 1 FROM gpu_burst b WHERE b.verdict = 'hardware' AND b.gpu = gpu_state.gpu) THEN 'info' ELSE 'critical' END AS severity,
       CASE WHEN bool_or(verdict = 'replace') THEN 'Replace the GPU (RMA): its spare memory rows are used up.' ELSE 'Reset the GPU or reboot the node; run dcgmi diag -r 3 before it comes back.' END AS action,
       'nvidia' AS vendor, gpu AS pci, bool_or(verdict IN ('uncorrectable', 'replace')) AS memory, any_value(key) AS error,
       max(try_cast(value AS BIGINT)) FILTER (verdict = 'uncorrectable') AS uncorrectable_errors
FROM gpu_state WHERE verdict IN ('uncorrectable', 'replace', 'recovery') GROUP BY gpu, file_id
UNION ALL BY NAME
-- A diagnosis that could not get at the GPU, because somebody used it, tells nothing of it.
SELECT format('{}dcgmi diag: {} failed{}', coalesce(any_value(host) || ': ', ''), array_to_string(list_sort(list(DISTINCT test)), ', '), coalesce(' (' || any_value(said) || ')', '')) AS summary, list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:10] AS evidence,
       list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, 'probable' AS confidence, CASE WHEN bool_and(busy) THEN 'info' ELSE 'critical' END AS severity,
       CASE WHEN bool_and(busy) THEN 'Run the diagnosis again with nothing else on the node.' ELSE 'Take the node out and open a repair ticket with the output of dcgmi diag.' END AS action, 'nvidia' AS vendor,
       any_value(test) AS error, list_sort(list(DISTINCT test)) AS tests, list_sort(list(DISTINCT gpu_index) FILTER (gpu_index IS NOT NULL)) AS gpu_indexes
FROM (SELECT t.file_id, t.line_no, t.host, t.test, coalesce(t.gpu_index, try_cast(nullif(regexp_extract(t.message, 'GPU: ([0-9]+)$', 1), '') AS BIGINT)) AS gpu_index, t.message AS said,
             coalesce(regexp_matches(n.text, 'busy or unavailable|insufficient free memory|[Nn]ot enough memory|in use by'), false) AS busy
      FROM dcgm_test t LEFT JOIN (SELECT file_id, dcgm_test_line, string_agg(message, '' ORDER BY line_no) AS text FROM dcgm_note GROUP BY ALL) n
        ON n.file_id = t.file_id AND n.dcgm_test_line = coalesce(t.dcgm_test_line, t.line_no)
      WHERE t.result = 'Fail' AND regexp_matches(t.test, 'memory|diagnostic|pcie|stress|power|bandwidth|pulse|row remap|nvlink|integration|\beud\b|nvbandwidth', 'i'))
GROUP BY file_id
