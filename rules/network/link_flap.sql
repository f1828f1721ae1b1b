/*
title       = "A network port went down and came up again"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains   = ["network.ib_error", "network.peer_lost", "network.connect_failure", "hang", "crash", "loss.rollback", "perf.slowdown"]
momentary  = true
about       = "The port lost its link for a while. Transfers in flight run into their retry limit if that takes longer than NCCL_IB_TIMEOUT and NCCL_IB_RETRY_CNT allow. Ports of several hosts that go down within a minute hang on one switch: they are one incident."
remedy      = "Reseat or replace cable and transceiver of that port, look at its counters (link_downed, symbol errors) and at the switch port; keep the node out of jobs while it flaps."
falsely     = "The switch was restarted on purpose."
*/
WITH port AS (
  SELECT host, hca, boot, list(line_at(file_id, line_no) ORDER BY time NULLS LAST, file_id, line_no) AS lines, min(time) AS first, max(time) AS last, count(CASE WHEN event = 'down' THEN 1 END) AS times,
         min(CASE WHEN event = 'down' THEN time END) AS went_down
  FROM link_event GROUP BY host, hca, boot
  HAVING max(CASE WHEN event = 'up' THEN time END) > min(CASE WHEN event = 'down' THEN time END)
      OR max(CASE WHEN event = 'up' AND time IS NULL THEN (file_id, line_no) END) > min(CASE WHEN event = 'down' AND time IS NULL THEN (file_id, line_no) END)
), marked AS (
  SELECT *, coalesce(went_down - lag(went_down) OVER (ORDER BY went_down) > INTERVAL 1 MINUTE, true) AS apart FROM port
), moments AS (
  SELECT *, CASE WHEN went_down IS NOT NULL THEN sum(apart::INT) OVER (ORDER BY went_down) END AS moment FROM marked
), places AS (
  SELECT *, count(DISTINCT host) OVER (PARTITION BY moment) AS hosts_at_once FROM moments
)
SELECT CASE WHEN bool_or(together) THEN format('ports of {} hosts ({}{}) went down within a minute and came up again: the switch they share', count(DISTINCT host), array_to_string(list(DISTINCT host ORDER BY host)[:4], ', '), CASE WHEN count(DISTINCT host) > 4 THEN ', ...' ELSE '' END)
            ELSE format('port {} of {} went down{}{}', coalesce(any_value(hca), '?'), coalesce(any_value(host), 'a host'), CASE WHEN sum(times) > 1 THEN ' ' || sum(times)::BIGINT || ' times' ELSE '' END, ' and came up again') END AS summary,
       flatten(list(lines[:CASE WHEN together THEN 4 ELSE 50 END] ORDER BY first, host, hca)) AS evidence, min(first) AS at, max(last) AS until, list(DISTINCT host ORDER BY host) FILTER (host IS NOT NULL) AS hosts,
       CASE WHEN bool_or(together) THEN 'Look at the switch that these ports share at that time (its log, power, a restart or an update of its software), then at the cables between.' END AS action,
       CASE WHEN count(DISTINCT hca) = 1 THEN any_value(hca) END AS device, sum(times)::BIGINT AS times, CASE WHEN bool_or(together) THEN count(*) END AS ports
FROM (SELECT *, coalesce(moment IS NOT NULL AND hosts_at_once >= 3, false) AS together FROM places)
GROUP BY CASE WHEN together THEN 'moment ' || moment ELSE concat_ws(' ', 'port', host, hca, boot) END
