/*
title       = "The job was ended from outside"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["network.peer_lost", "network.connect_failure", "network.ib_error", "hang", "crash.signal", "divergence.stack", "divergence.collective_count", "loss.rollback"]
momentary   = true
about       = """
The scheduler ended the job: its time was over, a job of higher priority took its nodes, it was put back into the queue, or a person cancelled it.
What the program prints afterwards (SIGTERM, closed connections) is only the echo. A line CANCELLED without a reason says nothing of the cause:
Slurm prints it also when a step fails, so that it is not reported. A job that hung until its time was over, or until somebody ended it, ended of the hang.
"""
remedy      = "Write checkpoints in time for the limit (sbatch --signal) and start again from the last one; ask for more time, or for a partition that is not preempted."
falsely     = "The job had hung long before its time was over: then the hang is the cause."
references  = ["https://slurm.schedmd.com/preempt.html"]
*/
WITH said AS (
  SELECT *, CASE event WHEN 'time_limit' THEN 'time limit' WHEN 'preempted' THEN 'preemption' WHEN 'requeued' THEN 'requeue' ELSE CASE WHEN message LIKE 'TERM%OWNER%' THEN 'its owner' WHEN message LIKE 'TERM%ADMIN%' THEN 'an administrator' ELSE regexp_extract(message, '(uid [0-9]+)', 1) END END AS by_whom
  FROM (SELECT * REPLACE (replace(message, 'CANCELLED by ', 'uid ') AS message) FROM scheduler_event)
  WHERE event IN ('time_limit', 'preempted', 'requeued') OR (event = 'cancelled' AND (message LIKE 'uid %' OR message LIKE 'TERM\_%' ESCAPE '\'))
), stood AS (   -- since when it hung before that: nothing to do with who needed the nodes
  SELECT 1 FROM said s WHERE event IN ('time_limit', 'cancelled') AND (EXISTS (FROM missing_rank_suspect)
    OR EXISTS (FROM c10d_timeout_line t WHERE t.said_by = 'watchdog' AND coalesce(t.time - to_milliseconds(coalesce(t.ran_ms, 0)) < s.time - INTERVAL 2 MINUTE, true)))
)
SELECT concat('job ', coalesce(min(job), '(not named)'), CASE arg_min(event, weight) WHEN 'time_limit' THEN ' reached its time limit' WHEN 'preempted' THEN ' was preempted' WHEN 'requeued' THEN ' was put back into the queue' ELSE ' was cancelled by ' || arg_min(by_whom, weight) END,
              ', says ', scheduler) AS summary,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:20] AS evidence, min(time) AS "at", max(time) AS until, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
       CASE WHEN arg_min(event, weight) = 'cancelled' OR (arg_min(event, weight) = 'time_limit' AND EXISTS (FROM stood)) THEN 'warning' END AS severity,
       CASE WHEN arg_min(event, weight) IN ('time_limit', 'cancelled') AND EXISTS (FROM stood) THEN ['network.peer_lost', 'crash.signal'] END AS explains, arg_min(by_whom, weight) AS "by", arg_min(event, weight) AS reason, 15 AS signal, min(job) AS job, min(step) AS step, scheduler
FROM (SELECT *, CASE event WHEN 'preempted' THEN 1 WHEN 'time_limit' THEN 2 WHEN 'requeued' THEN 3 ELSE 4 END AS weight FROM said)
GROUP BY scheduler
UNION ALL BY NAME
-- SIGHUP comes of a terminal that was closed; SIGTERM has too many senders to name one.
SELECT 'the launcher got SIGHUP: the terminal or SSH session it was started from was closed' AS summary, list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:20] AS evidence,
       min(time) AS "at", max(time) AS until, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, 'critical' AS severity, 'probable' AS confidence,
       'closed terminal' AS "by", 'hangup' AS reason, 1 AS signal,
       'Start the job where it outlives the session (tmux, screen, sbatch, setsid) and go on from the last checkpoint. nohup alone does not help torchrun: it installs its own handler.' AS action
FROM launcher_event WHERE event = 'told_to_stop' AND (signal_name IN ('1', 'SIGHUP') OR signal = 1) HAVING count(*) > 0
