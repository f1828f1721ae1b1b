/*
title       = "A network port went down and came up again"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains   = ["network.ib_error", "network.peer_lost", "network.connect_failure", "hang", "crash", "loss.rollback", "perf.slowdown"]
about       = "The port lost its link for a while. Transfers in flight run into their retry limit if that takes longer than NCCL_IB_TIMEOUT and NCCL_IB_RETRY_CNT allow."
remedy      = "Reseat or replace cable and transceiver of that port, look at its counters (link_downed, symbol errors) and at the switch port; keep the node out of jobs while it flaps."
falsely     = "The switch was restarted on purpose."
*/
SELECT format('port {} of {} went down{}{}', coalesce(hca, '?'), coalesce(host, 'a host'),
              CASE WHEN count(*) FILTER (event = 'down') > 1 THEN ' ' || count(*) FILTER (event = 'down') || ' times' ELSE '' END, ' and came up again') AS summary,
       list(line_at(file_id, line_no) ORDER BY time NULLS LAST, file_id, line_no) AS evidence,
       min(time) AS at, max(time) AS until, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, hca AS device, count(*) FILTER (event = 'down') AS times
FROM link_event GROUP BY host, hca, boot
HAVING max(time) FILTER (event = 'up') > min(time) FILTER (event = 'down')
    OR max((file_id, line_no)) FILTER (event = 'up' AND time IS NULL) > min((file_id, line_no)) FILTER (event = 'down' AND time IS NULL)
