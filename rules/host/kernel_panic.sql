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
       CASE WHEN bool_or(kind = 'panic' AND regexp_matches(message, 'deadlocked on memory|panic_on_oom|^Out of memory')) THEN
         'The machine had no memory left, and this kernel stops then (vm.panic_on_oom, or nothing to kill): the report of the OOM killer above it lists who held how much. Use less host memory per node (data loader workers, caches, offload), or give the job a cgroup of its own, that only it ends.' END AS action,
       coalesce(arg_min(message, line_no) FILTER (kind = 'panic'), arg_min(message, line_no)) AS message, bool_or(kind = 'panic') AS panic, count(*) AS times
FROM kernel_event_of_boot WHERE kind IN ('panic', 'oops')
GROUP BY host, boot, CASE WHEN host IS NULL THEN file_id END
