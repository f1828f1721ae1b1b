/*
title       = "A node went away under the job"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network", "host.preempted", "crash", "loss.rollback"]
momentary   = true
about       = "The scheduler lost contact with the node, or says that it failed. The ranks on it are gone; all others wait for them or are killed."
remedy      = "Look at the node's console, BMC log and last kernel lines for why it went; keep it out until that is known. Start the job again from its last checkpoint."
falsely     = "The node was rebooted or drained on purpose; only the scheduler's daemon on it was down."
references  = ["https://slurm.schedmd.com/troubleshoot.html#nodes"]
*/
SELECT concat(CASE WHEN len(hosts) > 0 THEN CASE WHEN len(hosts) = 1 THEN 'node ' ELSE 'nodes ' END || array_to_string(hosts[1:8], ', ') ELSE 'a node' END, ' failed, says ', scheduler, CASE WHEN job IS NOT NULL THEN ' (job ' || job || ')' ELSE '' END) AS summary,
       evidence, "at", until, hosts, hosts[1] AS node, job, scheduler
FROM (
  SELECT scheduler, min(job) AS job,
         -- a scheduler notices after some minutes (Slurm's SlurmdTimeout: 5): what was seen before may be the echo
         min(time) - INTERVAL 6 MINUTE AS "at", max(time) AS until, list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:20] AS evidence,
         -- CANCELLED ... DUE TO NODE FAILURE names the node of the batch script, not the one that failed
         coalesce(list_sort(list(DISTINCT host) FILTER (host IS NOT NULL AND message IS DISTINCT FROM 'NODE FAILURE')), []) AS hosts
  FROM scheduler_event WHERE event = 'node_failure' GROUP BY scheduler)
UNION ALL BY NAME
-- The launcher of an MPI job lost its daemon on a node: the node or pod went, or the way to it. Where a process tells of its own end, the daemon went with the job.
SELECT concat('mpirun lost its daemon on ', CASE WHEN count(DISTINCT peer) = 1 THEN 'node ' ELSE 'nodes ' END, array_to_string(list_sort(list(DISTINCT peer))[1:8], ', '), ': the node went away, its pod or daemon was killed, or the network to it failed') AS summary,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:20] AS evidence, min(time) AS "at", max(time) AS until, list_sort(list(DISTINCT peer)) AS hosts, min(peer) AS node, 'mpirun' AS scheduler, 'possible' AS confidence
FROM launcher_event WHERE event = 'daemon_lost' AND peer IS NOT NULL AND NOT EXISTS (FROM scheduler_event WHERE event = 'node_failure') AND NOT EXISTS (FROM ended_from_outside) AND NOT EXISTS (FROM fatal_exception)
  AND NOT EXISTS (FROM death WHERE source <> 'ray') AND NOT EXISTS (FROM "exit" WHERE exitcode BETWEEN 1 AND 127)
HAVING count(*) > 0
