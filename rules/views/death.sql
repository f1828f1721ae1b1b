-- Processes that a signal ended, by whoever tells of it; told by several sources a death is several rows here.

CREATE TABLE death AS
WITH told AS (
  SELECT said_by AS source, coalesce(signal, CASE WHEN exitcode < 0 THEN -exitcode WHEN exitcode BETWEEN 129 AND 159 THEN exitcode - 128 END) AS signal, signal_name AS said,
         exitcode, process, rank, local_rank, task, pid, host, time, file_id, line_no, coalesce(first_observed, false) AS first_observed, NULL AS library, NULL AS library_offset, NULL AS error_code, NULL AS fault_address
  FROM "exit" WHERE said_by <> 'subprocess'
  UNION ALL
  SELECT 'kernel', NULL, signal_name, NULL, process, NULL, NULL, NULL, pid, host, time, file_id, line_no, true, library, library_offset, error_code, fault_address FROM fault
  UNION ALL   -- strace prints the end of every thread: the main thread's counts, or the process's lowest where that is not known
  SELECT 'strace', NULL, e.signal_name, NULL, NULL, t.rank, NULL, NULL, nullif(coalesce(t.pid, e.tid), 0), t.host,
         make_timestamp((epoch_us(CASE WHEN e.at_s < 100000 THEN f.day ELSE TIMESTAMP '1970-01-01' END) + e.at_s * 1000000)::BIGINT), e.file_id, e.line_no, false, NULL, NULL, NULL, NULL
  FROM strace_event e JOIN strace_thread t ON t.trace = e.trace AND t.tid = e.tid JOIN strace_file f ON f.file_id = e.file_id
  WHERE e.kind = 'killed' AND t.main
  UNION ALL   -- a worker of a data loader, told by its parent
  SELECT 'data loader', NULL, regexp_extract(message, 'killed by signal: ([A-Z][a-z ]+?)(?:\.|$)', 1), NULL, 'data loader worker', rank, NULL, task,
         TRY_CAST(regexp_extract(message, 'worker \(pid\(?s?\)? ([0-9]+)', 1) AS BIGINT), host, time, file_id, line_no, false, NULL, NULL, NULL, NULL
  FROM exception WHERE contains(message, 'is killed by signal: ') AND regexp_matches(message, 'killed by signal: (?:Segmentation fault|Aborted|Illegal|Floating)')
  UNION ALL
  SELECT 'faulthandler', NULL, regexp_extract(occasion, 'Fatal Python error: (Segmentation fault|Aborted|Bus error|Floating point exception|Illegal instruction)', 1), NULL, 'python', rank, local_rank, task, pid, host, time, file_id, line_no, false, NULL, NULL, NULL, NULL
  FROM stack_process WHERE occasion LIKE 'Fatal Python error: %'
), named AS (
  SELECT t.* EXCLUDE (signal), coalesce(t.signal, n.signal) AS signal FROM told t LEFT JOIN signal_number n ON n.said = t.said
), hosts AS (   -- a process id that only one host's lines name
  SELECT pid, any_value(host) AS host FROM nccl_process WHERE pid IS NOT NULL AND host <> '' GROUP BY pid HAVING count(DISTINCT host) = 1
), pids AS (
  SELECT pid, any_value(rank) AS rank, any_value(host) AS host FROM (SELECT pid, rank, host FROM identity UNION ALL SELECT pid, rank, host FROM "exit")
  WHERE pid IS NOT NULL AND rank IS NOT NULL GROUP BY pid HAVING count(DISTINCT rank) = 1
)
SELECT d.* EXCLUDE (said, rank, host), s.signal_name, coalesce(d.rank, p.rank) AS rank, coalesce(d.host, p.host, h.host) AS host
FROM named d LEFT JOIN (SELECT signal, min(signal_name) AS signal_name FROM signal_number WHERE starts_with(said, 'SIG') AND said <> 'SIGIOT' GROUP BY signal) s USING (signal)
LEFT JOIN pids p ON p.pid = d.pid LEFT JOIN hosts h ON h.pid = d.pid AND d.source <> 'kernel'
WHERE d.signal IS NOT NULL;

COMMENT ON TABLE death IS 'processes that a signal ended, one row per source that tells of it (launcher, kernel, strace, shell, data loader)';

-- A person or the scheduler ended the job: what dies then, dies of that.
CREATE VIEW ended_from_outside AS
SELECT 'person' AS who, file_id, line_no, time FROM exception WHERE class = 'KeyboardInterrupt'
UNION ALL SELECT 'person', file_id, line_no, time FROM launcher_event WHERE event = 'told_to_stop' AND (signal_name IN ('2', 'SIGINT') OR signal = 2)
UNION ALL SELECT 'person', file_id, line_no, time FROM death WHERE signal = 2
UNION ALL SELECT 'scheduler', file_id, line_no, time FROM scheduler_event WHERE event IN ('time_limit', 'preempted', 'requeued', 'node_failure', 'evicted', 'signalled')
-- Slurm also says that it cancels a step when one of its tasks has failed: then srun told of that task before
UNION ALL SELECT 'scheduler', file_id, line_no, time FROM scheduler_event e WHERE event = 'cancelled'
  AND NOT (e.scheduler = 'slurm' AND EXISTS (FROM "exit" x WHERE x.said_by = 'srun' AND x.file_id = e.file_id AND x.line_no < e.line_no
                                             AND coalesce(x.signal_name, '') NOT IN ('Terminated', 'Killed', 'Hangup', 'Interrupt')))
UNION ALL SELECT 'launcher', file_id, line_no, time FROM launcher_event WHERE event = 'told_to_stop' AND (signal_name IN ('15', 'SIGTERM') OR signal = 15);
