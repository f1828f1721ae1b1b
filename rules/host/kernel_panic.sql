/*
title       = "The kernel of a host crashed"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network", "host.node_lost", "crash", "loss.rollback"]
momentary   = true
about       = "A panic stops the host; an oops kills the task that was running in the kernel and often leaves locks held, so that the host stands still soon after."
remedy      = "Keep the dump (kdump, pstore, the serial console), note driver and kernel versions, take the node out; compare with the panics of other nodes: the same function is software, another one each time is hardware."
falsely     = "A panic provoked on purpose (sysrq, a test of kdump)."
references  = ["https://docs.kernel.org/admin-guide/bug-hunting.html"]
*/
SELECT concat(coalesce(host || ': ', ''), CASE WHEN bool_or(kind = 'panic') THEN 'kernel panic: ' || arg_min(message, line_no) FILTER (kind = 'panic') ELSE 'kernel oops: ' || arg_min(message, line_no) END) AS summary,
       list(line_at(file_id, line_no) ORDER BY line_no)[1:20] AS evidence, min(time) AS "at", max(time) AS until, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
       coalesce(arg_min(message, line_no) FILTER (kind = 'panic'), arg_min(message, line_no)) AS message, bool_or(kind = 'panic') AS panic, count(*) AS times
FROM kernel_event_of_boot WHERE kind IN ('panic', 'oops')
GROUP BY host, boot, CASE WHEN host IS NULL THEN file_id END
