/*
title      = "A process was ended by a signal"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["hang", "network.peer_lost", "divergence", "network.connect_failure", "network.ib_error", "loss.rollback"]
momentary  = true
about      = """
A rank or one of its helpers died of a segmentation fault, an abort, a bus error or a SIGKILL. What the launcher ends afterwards (SIGTERM, its own SIGKILL), what a watchdog aborts on purpose, and what a person or the scheduler ends is left out.
"""
remedy     = "Segmentation fault: take the library named by the kernel, or run with PYTHONFAULTHANDLER=1 and a core dump (gdb -p, bt). SIGKILL: look in dmesg of that host for the OOM killer, and in the scheduler's log."
falsely    = "A SIGKILL from the launcher that no log tells of."
references = ["https://man7.org/linux/man-pages/man7/signal.7.html"]
*/
WITH hard AS (
  SELECT * FROM death d
  WHERE signal IN (4, 6, 7, 8, 9, 11, 5)
    AND NOT (source <> 'kernel' AND EXISTS (FROM ended_from_outside))
    -- killed by its launcher: told so, or asked with SIGTERM before
    AND NOT (signal = 9 AND (EXISTS (FROM launcher_event l WHERE l.event IN ('forced', 'killing') AND l.target_pid = d.pid)
          OR EXISTS (FROM strace_known k WHERE k.syscall = 'kill' AND k.result = '0' AND TRY_CAST(regexp_extract(k.args, '^-?([0-9]+)', 1) AS BIGINT) = d.pid AND contains(k.args, 'SIGKILL'))
          OR EXISTS (FROM strace_event s WHERE s.kind = 'signal' AND s.signal_name = 'SIGTERM' AND s.tid = d.pid AND d.source = 'strace')))
    -- an abort with a reason of its own: a watchdog, an uncaught C++ exception of a failed collective or of CUDA
    AND NOT (signal = 6 AND (EXISTS (FROM c10d_timeout_line) OR EXISTS (FROM c10d_heartbeat) OR EXISTS (FROM c10d_nccl_error) OR EXISTS (FROM missing_rank_suspect) OR EXISTS (FROM c10d_size) OR EXISTS (FROM cuda_error) OR EXISTS (FROM oom_event)))
), first_told AS (   -- the launcher's first failure was another one: this is a follower
  SELECT bool_or(coalesce(exitcode, 0) > 0 AND coalesce(exitcode, 0) < 129) AS by_exit FROM "exit" WHERE first_observed
), ranked AS (
  SELECT *, bool_or(signal NOT IN (6, 9)) OVER () AS any_fault, bool_or(first_observed) OVER () AS any_first, bool_or(first_observed AND signal = 9) OVER () AS first_kill
  FROM hard
), chosen AS (
  SELECT * FROM ranked
  WHERE NOT (any_fault AND signal IN (6, 9) AND NOT (signal = 9 AND first_kill))
    AND NOT (signal IN (6, 9) AND coalesce((SELECT by_exit FROM first_told), false) AND NOT first_observed)
), grouped AS (
  SELECT signal, any_value(signal_name) AS signal_name, list(DISTINCT rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
         list(DISTINCT pid ORDER BY pid) FILTER (pid IS NOT NULL) AS pids, list(DISTINCT task ORDER BY task) FILTER (task IS NOT NULL) AS tasks, list(DISTINCT local_rank ORDER BY local_rank) FILTER (local_rank IS NOT NULL) AS local_ranks, min(time) AS at_,
         max(process) FILTER (source = 'kernel') AS kernel_process, any_value(process) FILTER (process IS NOT NULL) AS process, any_value(library) FILTER (library IS NOT NULL) AS library, any_value(library_offset) FILTER (library IS NOT NULL) AS library_offset,
         any_value(error_code) FILTER (error_code IS NOT NULL) AS error_code, any_value(fault_address) FILTER (fault_address IS NOT NULL) AS fault_address, any_value(exitcode) FILTER (exitcode IS NOT NULL) AS exitcode,
         list(DISTINCT source ORDER BY source) AS told_by, list(line_at(file_id, line_no) ORDER BY source = 'kernel' DESC, first_observed DESC, file_id, line_no)[:20] AS evidence
  FROM chosen GROUP BY signal
)
SELECT CASE WHEN len(ranks) > 0 THEN 'Rank ' || ranges(ranks) WHEN len(tasks) > 0 THEN 'Task ' || ranges(tasks) WHEN len(local_ranks) > 0 THEN 'Local rank ' || ranges(local_ranks) WHEN kernel_process IS NOT NULL THEN 'Process ' || kernel_process ELSE 'A process' END
       || coalesce(CASE WHEN len(pids) <= 4 THEN ' (pid ' || array_to_string(pids, ', ') || ')' END, '') || coalesce(' on ' || CASE WHEN len(hosts) <= 3 THEN array_to_string(hosts, ', ') END, '')
       || ' was ended by ' || signal_name || coalesce(' in ' || library || ' at offset ' || library_offset, '') AS summary,
       evidence, at_ AS at, ranks, hosts,
       CASE signal WHEN 9 THEN 'Nobody in these logs says who sent SIGKILL: look in dmesg of ' || coalesce(hosts[1], 'that host') || ' for the OOM killer, and in the scheduler''s log for a memory limit or a time limit.'
                   WHEN 7 THEN 'Bus error: check the size of /dev/shm (df -h /dev/shm; docker --shm-size), then the disk behind mapped files.'
                   WHEN 4 THEN 'Illegal instruction: the binary was built for another processor; install a wheel for this machine (lscpu).' END AS action,
       CASE WHEN signal = 9 AND NOT list_contains(told_by, 'kernel') AND ranks IS NULL AND pids IS NULL THEN 'possible' WHEN signal = 6 THEN 'probable' END AS confidence,
       signal, signal_name, exitcode, coalesce(kernel_process, process) AS process, CASE WHEN len(pids) = 1 THEN pids[1] END AS pid, pids, CASE WHEN len(hosts) = 1 THEN hosts[1] END AS host, CASE WHEN ranks IS NULL AND len(local_ranks) = 1 THEN local_ranks[1] END AS local_rank, CASE WHEN ranks IS NULL THEN local_ranks END AS local_ranks,
       library, TRY_CAST(error_code AS BIGINT) AS error_code, library_offset AS "offset", fault_address, told_by,
       (SELECT list(DISTINCT rank ORDER BY rank) FROM death e WHERE e.signal = 15 AND e.rank IS NOT NULL) AS echo_ranks,
       CASE WHEN ranks IS NOT NULL THEN (SELECT count(DISTINCT rank) FROM identity WHERE rank IS NOT NULL HAVING count(DISTINCT rank) > greatest(1, max(rank))) END AS world_size
FROM grouped
UNION ALL BY NAME
-- Ray sees that the connection to a worker ended, and guesses at why.
SELECT CASE WHEN count(DISTINCT pid) = 1 THEN 'A worker of Ray (pid ' || any_value(pid) || coalesce(' on ' || any_value(host), '') || ')' ELSE count(DISTINCT pid) || ' workers of Ray (pid ' || array_to_string(list(DISTINCT pid ORDER BY pid)[:8], ', ') || ')' END
         || ' ended without a word: killed from outside, by the OOM killer as a rule, or crashed' AS summary,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:20] AS evidence, min(time) AS at, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
       'Look in dmesg of ' || coalesce(any_value(host), 'that host') || ' for the OOM killer and for segfaults, and in /tmp/ray/session_latest/logs for worker-*' || coalesce(any_value(pid)::VARCHAR, 'PID') || '.err.' AS action,
       'warning' AS severity, 'possible' AS confidence, CASE WHEN count(DISTINCT pid) = 1 THEN any_value(pid) END AS pid, list(DISTINCT pid ORDER BY pid) AS pids, CASE WHEN count(DISTINCT host) = 1 THEN any_value(host) END AS host, ['ray'] AS told_by
FROM "exit" WHERE said_by = 'ray' AND pid IS NOT NULL AND NOT EXISTS (FROM chosen) AND NOT EXISTS (FROM fatal_exception) AND NOT EXISTS (FROM ended_from_outside) AND NOT EXISTS (FROM cuda_error) AND NOT EXISTS (FROM oom_event) AND NOT EXISTS (FROM oomd_kill)
  AND NOT EXISTS (FROM kernel_oom_incident) AND NOT EXISTS (FROM c10d_timeout_line) AND NOT EXISTS (FROM c10d_nccl_error)
HAVING count(*) > 0
