/*
title       = "A network card failed"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["network.ib_error", "network.peer_lost", "network.connect_failure", "hang", "crash.exception", "crash.signal", "loss.rollback", "perf.slowdown"]
explains_here = ["network.link_flap"]
about       = "The card's firmware stopped answering, its driver gave up on a command or a transmit queue, its module is too hot or its port went down for good. All traffic through it stops."
remedy      = "Take the node out; look at the firmware (mlxfwmanager), the module and its temperature (mlxlink, ethtool -m), reseat or replace the card; a driver reload seldom lasts."
falsely     = "The driver was reloaded or the firmware updated on purpose at that time."
references  = ["https://docs.kernel.org/networking/device_drivers/ethernet/mellanox/mlx5/devlink.html"]
*/
WITH faults AS (
  SELECT host, file_id, line_no, time, device, kind, message FROM kernel_event WHERE kind IN ('nic_fatal', 'nic_stall', 'port_module', 'nic_hot', 'nic_power') AND NOT coalesce(message, '') ILIKE '%unplugged%'
  UNION ALL
  -- a port that was up, went down and did not come back while the log went on
  SELECT host, file_id, line_no, time, device, 'port_down', 'port went down and stayed down' FROM kernel_link_event WHERE stays_down
)
SELECT format('{}network card {}: {}{}', coalesce(host || ': ', ''), device, arg_min(message, (CASE kind WHEN 'nic_fatal' THEN 1 WHEN 'nic_stall' THEN 2 WHEN 'port_down' THEN 3 WHEN 'nic_power' THEN 5 ELSE 4 END, line_no)), CASE WHEN count(*) > 1 THEN format(' ({} lines)', count(*)) ELSE '' END) AS summary,
       list(line_at(file_id, line_no) ORDER BY line_no)[1:20] AS evidence, min(time) AS "at", max(time) AS until, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
       CASE WHEN bool_or(kind = 'nic_fatal') THEN 'critical' WHEN bool_and(kind = 'nic_power') THEN 'info'
            -- Ethernet ports are taken down and up by many; with nothing else wrong that is no news.
            WHEN bool_and(kind IN ('nic_power', 'port_down')) AND NOT regexp_matches(device, '^(ib|mlx[45]_|hfi|rdmap)') AND NOT EXISTS (FROM trouble_sign) THEN 'info' ELSE 'warning' END AS severity, CASE WHEN bool_or(kind = 'nic_fatal') THEN 'definite' ELSE 'probable' END AS confidence,
       CASE WHEN bool_and(kind = 'nic_power') THEN 'Nothing to do while the card works; where it fails, raise the power limit of its slot (BIOS) or move it.'
            WHEN bool_and(kind IN ('nic_power', 'port_down')) THEN 'Find out whether the port was taken down on purpose; if not: cable, transceiver, switch port (ethtool, mlxlink, ibstat).'
            WHEN bool_and(kind IN ('nic_power', 'port_down', 'nic_stall')) THEN 'The driver sets a stuck queue right by itself; if it comes again, look at firmware and driver versions and at the switch (pause frames, PFC storms).' END AS action,
       device, arg_min(message, line_no) AS message, count(*) AS times
FROM faults GROUP BY host, CASE WHEN host IS NULL THEN file_id END, device
