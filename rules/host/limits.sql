/*
title      = "A limit of the system or of the user is reached"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["crash", "hang", "network.peer_lost", "loss.rollback"]
about      = """
Too many open files, no more threads or processes, no more address space: a call failed because a limit (ulimit, cgroup pids.max, fs.file-max) was reached, not because the machine is out of memory.
"""
remedy     = "Raise the limit where the job is started (ulimit -n / -u, LimitNOFILE of the service, --ulimit of the container, pids.max), or use fewer workers and threads; for DataLoader workers: torch.multiprocessing.set_sharing_strategy('file_system')."
falsely    = "A program that tries a larger number of threads first and goes on with fewer prints the same."
references = ["https://man7.org/linux/man-pages/man2/getrlimit.2.html"]
*/
WITH told AS (
  SELECT source, "limit", errno, number, path, NULL AS syscall, host, rank, pid, time, file_id, line_no, 1 AS weight FROM limit_reached
  UNION ALL
  -- memory for RDMA is pinned: refused, it is the limit on locked memory that stands in the way
  SELECT 'nccl', 'locked memory', 'ENOMEM', NULL, NULL, min(verb), host, rank, pid, min(time), file_id, min(line_no), 1 FROM nccl_verbs_failure
  WHERE regexp_matches(verb, '^ibv_(reg_mr|create_qp|create_cq)') AND regexp_matches(error, 'Cannot allocate memory|\b12\b') GROUP BY host, rank, pid, file_id
  UNION ALL   -- up to NCCL 2.12 without the reason; what these calls want is pinned memory
  SELECT 'nccl, no reason', 'locked memory', NULL, NULL, NULL, min(verb), host, rank, pid, min(time), file_id, min(line_no), 1 FROM nccl_verbs_failure
  WHERE regexp_matches(verb, '^ibv_(reg_mr|create_cq)$') AND error = '' GROUP BY host, rank, pid, file_id
  UNION ALL
  SELECT 'strace', CASE WHEN errno IN ('EMFILE', 'ENFILE') THEN 'open files' WHEN errno = 'EAGAIN' THEN 'processes and threads' ELSE 'memory' END, errno,
         CASE errno WHEN 'EMFILE' THEN 24 WHEN 'ENFILE' THEN 23 WHEN 'EAGAIN' THEN 11 ELSE 12 END, path, syscall, host, rank, nullif(pid, 0), time, file_id, line_no, 1
  FROM strace_known k
  WHERE injected IS NULL AND (errno IN ('EMFILE', 'ENFILE') OR errno IN ('EAGAIN', 'ENOMEM') AND syscall IN ('clone', 'clone3', 'fork', 'vfork')
     -- reserving address space in ever smaller pieces is usual; small pieces refused again and again are not
     OR errno = 'ENOMEM' AND syscall IN ('mmap', 'brk') AND (SELECT count(*) FROM strace_known m WHERE m.trace = k.trace AND m.tid = k.tid AND m.errno = 'ENOMEM' AND m.syscall IN ('mmap', 'brk')
            AND (m.syscall = 'brk' OR TRY_CAST(regexp_extract(m.args, ', ([0-9]+), PROT_READ', 1) AS BIGINT) < 67108864)) >= 3)
), limits AS (   -- what the limit stood at, where the trace or the log tells
  SELECT max_by(TRY_CAST(regexp_extract(args, 'rlim_cur=([0-9]+)(\*1024)?', 1) AS BIGINT) * CASE WHEN contains(args, '*1024,') THEN 1024 ELSE 1 END, line_no) AS nofile
  FROM strace_notable WHERE syscall IN ('prlimit64', 'getrlimit', 'ugetrlimit', 'setrlimit') AND contains(args, 'RLIMIT_NOFILE')
), grouped AS (
  SELECT "limit", mode(errno) AS errno, max(number) AS number, min_by(path, line_no) FILTER (path IS NOT NULL) AS path, mode(syscall) FILTER (syscall IS NOT NULL) AS syscall, bool_or(source = 'strace') AS traced, bool_or(source LIKE 'nccl%') AS refused, bool_and(source = 'nccl, no reason') AS unsaid,
         list(DISTINCT rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, list(DISTINCT pid ORDER BY pid) FILTER (pid IS NOT NULL) AS pids,
         min(time) AS started, count(*) AS times, list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:20] AS evidence
  FROM told GROUP BY "limit"
)
SELECT CASE "limit" WHEN 'open files' THEN 'Too many open files' WHEN 'processes and threads' THEN 'No more threads or processes could be started' WHEN 'inotify watches' THEN 'No more inotify watches'
                    WHEN 'locked memory' THEN CASE WHEN unsaid THEN 'Memory for RDMA could not be had, probably for the limit on locked memory' WHEN refused THEN 'No more memory could be locked' ELSE 'The limit on locked memory is low' END ELSE 'No more memory was given' END
       || coalesce(' (rank ' || ranges(ranks) || ')', ' (pid ' || array_to_string(pids, ', ') || ')', '') || coalesce(': ' || syscall || ' failed' || coalesce(' with ' || errno, ''), coalesce(': ' || errno, ''))
       || coalesce(' on ' || path, '') || coalesce(CASE WHEN "limit" = 'open files' THEN ', the limit is ' || nofile END, '') || CASE WHEN times > 1 THEN ', ' || times || ' times' ELSE '' END AS summary,
       evidence, started AS at, ranks, hosts, "limit", errno, path, syscall, pids, CASE WHEN len(pids) = 1 THEN pids[1] END AS pid,
       CASE WHEN "limit" = 'open files' THEN nofile WHEN "limit" = 'locked memory' THEN number END AS limit_value,
       CASE "limit" WHEN 'open files' THEN 'RLIMIT_NOFILE' WHEN 'processes and threads' THEN 'RLIMIT_NPROC' WHEN 'locked memory' THEN 'RLIMIT_MEMLOCK' WHEN 'memory' THEN 'RLIMIT_AS' END AS rlimit, times,
       CASE WHEN "limit" = 'locked memory' THEN 'Raise the limit on locked memory where the job is started: ulimit -l unlimited, LimitMEMLOCK=infinity of slurmd or the container service, --ulimit memlock=-1 of docker.' END AS action,
       CASE WHEN "limit" = 'locked memory' AND NOT refused THEN 'warning' END AS severity, CASE WHEN unsaid THEN 'possible' WHEN refused THEN 'probable' WHEN "limit" = 'memory' THEN 'possible' WHEN NOT traced AND "limit" = 'processes and threads' THEN 'probable' END AS confidence
FROM grouped LEFT JOIN limits ON true
UNION ALL BY NAME
-- no failure: programs that walk through every possible descriptor, or keep a table of them, take long and much memory
SELECT 'The limit on open files is ' || max(n.nofile) || ': programs that look at every possible descriptor become slow' AS summary, 'info' AS severity,
       'Set a usual limit: ulimit -n 65536, LimitNOFILE of containerd or docker.' AS action, [line_at(min_by(n.file_id, n.line_no), min(n.line_no))] AS evidence,
       'open files' AS "limit", 'RLIMIT_NOFILE' AS rlimit, max(n.nofile) AS limit_value, max(n.nofile) AS rlimit_nofile, list(DISTINCT n.pid) FILTER (n.pid IS NOT NULL) AS pids
FROM (SELECT file_id, line_no, nullif(tid, 0) AS pid, TRY_CAST(regexp_extract(args, 'rlim_cur=([0-9]+)', 1) AS BIGINT) * CASE WHEN contains(args, '*1024,') THEN 1024 ELSE 1 END AS nofile
      FROM strace_notable WHERE syscall IN ('prlimit64', 'getrlimit', 'ugetrlimit') AND contains(args, 'RLIMIT_NOFILE')) n
WHERE n.nofile > 16777216 GROUP BY ALL HAVING count(*) > 0
