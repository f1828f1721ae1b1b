/*
title       = "Heat or power slowed a GPU or switch down"
severity    = "warning"
confidence  = "definite"
status      = "stable"
explains    = ["perf.slowdown"]
about       = "A GPU or switch lowered its clocks or its links because of heat or of the power supply, or the host shut down for heat."
remedy      = "Look at fans, air flow, liquid loop and power supplies of the node (ipmitool sdr); compare the temperatures of its neighbours; take the node out until it stays cool under load."
falsely     = "A software power cap that was set on purpose."
references  = ["https://docs.nvidia.com/deploy/nvidia-smi/index.html"]
*/
WITH events AS (
  SELECT host, file_id, line_no, time, gpu AS device, 'NVSwitch ' || gpu || ' is too hot (SXid ' || code || ')' AS what, 'warning' AS severity, false AS of_gpu FROM sxid WHERE code IN (10004, 10006)
  UNION ALL SELECT host, file_id, line_no, time, device, device || ' reached its critical temperature, the host shut down', 'critical', false FROM kernel_event WHERE kind = 'thermal_shutdown'
  UNION ALL SELECT host, file_id, line_no, time, gpu, 'GPU ' || gpu || ': ' || key || ' is active', 'warning', true FROM gpu_state WHERE verdict = 'throttled'
  UNION ALL SELECT host, file_id, line_no, time, gpu_index::VARCHAR, 'GPU ' || gpu_index || ' lowers its clocks for heat, as DCGM sees it', 'warning', true FROM dcgm_health
)
SELECT concat(coalesce(host || ': ', ''), any_value(what), CASE WHEN count(*) > 1 THEN format(', {} lines', count(*)) ELSE '' END) AS summary, list(line_at(file_id, line_no) ORDER BY line_no)[1:20] AS evidence,
       min(time) AS "at", max(time) AS until, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, any_value(severity) AS severity, CASE WHEN bool_or(of_gpu) THEN [device] ELSE [] END AS gpus, device, count(*) AS times
FROM events GROUP BY host, device
