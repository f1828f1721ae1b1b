/*
title       = "A host's memory, processor or PCIe reported an uncorrected error"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network.peer_lost", "crash.signal", "loss.rollback", "perf.slowdown"]
explains_here = ["host.kernel_panic", "host.node_lost"]
momentary     = true
about       = "The hardware found an error it could not correct. The kernel kills the process whose memory is lost (SIGBUS) or stops the host. Corrected errors are left out: they are counted by every healthy machine."
remedy      = "Take the node out, read the DIMM or slot out of the event log of its BMC (ipmitool sel list) or rasdaemon, replace it."
falsely     = "Errors injected by a test (einj)."
references  = ["https://docs.kernel.org/admin-guide/ras.html"]
*/
WITH sections AS (
  SELECT s.file_id, s.message AS section, max(o.line_no) AS line_no FROM kernel_event s JOIN kernel_event o ON o.file_id = s.file_id AND o.line_no < s.line_no AND o.kind = 'mce' AND o.message IN ('fatal', 'recoverable')
  WHERE s.kind = 'ghes_section' GROUP BY ALL
), faults AS (
  SELECT e.*, s.section, CASE WHEN e.kind = 'pcie_fatal' OR s.section ILIKE '%pcie%' THEN 'pcie' WHEN e.kind = 'memory_ue' OR s.section ILIKE '%memory%' THEN 'memory' ELSE 'processor' END AS what
  FROM kernel_event_of_boot e LEFT JOIN sections s ON s.file_id = e.file_id AND s.line_no = e.line_no
  WHERE e.kind IN ('mce', 'memory_ue', 'pcie_fatal') AND NOT (e.message = 'recoverable' AND coalesce(s.section, '') ILIKE '%pcie%')
), grouped AS (
  SELECT host, boot, CASE WHEN host IS NULL THEN file_id END AS own_file, arg_min(f, (CASE what WHEN 'memory' THEN 1 WHEN 'processor' THEN 2 ELSE 3 END, line_no)) AS first, count(*) AS times, min(time) AS "at", max(time) AS until,
         list(line_at(file_id, line_no) ORDER BY line_no)[1:20] AS evidence, any_value(pid) AS pid, any_value(process) FILTER (process IS NOT NULL) AS process
  FROM faults f GROUP BY ALL
), below AS (   -- GPUs that the driver could not bring back with the port they are behind
  SELECT c.host, c.first.file_id AS file_id, c.boot, list_sort(list(DISTINCT pci_address(g.device))) AS gpus_below
  FROM grouped c JOIN kernel_event g ON g.kind = 'pcie_gpu' AND g.file_id = c.first.file_id AND g.host IS NOT DISTINCT FROM c.host AND abs(g.line_no - c.first.line_no) <= 40
  GROUP BY ALL
)
SELECT concat(coalesce(grouped.host || ': ', ''), CASE first.what WHEN 'memory' THEN 'uncorrected memory error' WHEN 'pcie' THEN 'fatal PCIe error at ' || coalesce(first.device, 'a port') || CASE WHEN len(gpus_below) > 0 THEN ', above GPU ' || array_to_string(gpus_below, ', ') ELSE '' END ELSE 'uncorrected machine check' END,
              CASE WHEN first.what <> 'pcie' AND first.device IS NOT NULL THEN ' (' || first.device || ')' ELSE '' END, CASE WHEN process IS NOT NULL THEN format(', {} (pid {}) was killed', process, pid) ELSE '' END) AS summary,
       evidence, "at", until, CASE WHEN grouped.host IS NOT NULL THEN [grouped.host] ELSE [] END AS hosts, CASE WHEN first.what = 'pcie' THEN gpus_below END AS gpus,
       CASE WHEN first.what = 'pcie' AND len(gpus_below) > 0 THEN 'Take the node out: reseat the GPU and its riser or cable, see that its power is connected, and run a diagnosis (dcgmi diag -r 3); exchange the GPU if the error comes again.' END AS action,
       -- A GPU that leaves the bus takes its port with it: then the GPU is the incident.
       CASE WHEN first.what = 'pcie' THEN CASE WHEN EXISTS (SELECT 1 FROM gpu_burst b WHERE b.verdict = 'hardware' AND (b.host = grouped.host OR b.host IS NULL OR grouped.host IS NULL)) THEN 'info' ELSE 'warning' END END AS severity,
       CASE WHEN first.what = 'pcie' THEN 'probable' END AS confidence, first.what AS part, first.device AS device, process, pid, times, first.message AS message
FROM grouped LEFT JOIN below b ON b.file_id = first.file_id AND b.host IS NOT DISTINCT FROM grouped.host AND b.boot = grouped.boot
