/*
title      = "A process sits in one system call"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang", "loss.rollback"]
about      = """
strace shows a call on a file, a lock or a connection that had not returned when the trace ended, or one that took minutes, or a lock that is tried over and over. Idle helper threads end in futex, epoll and poll and do not count; of the others only main threads count, or calls on files and locks. A main thread that waits in futex or poll, or that spins, is told as context: it waits for another thread or a collective, and only a stack dump says for which.
"""
remedy     = "Find what the call waits for: the holder of the lock (lslocks, fuser), the server behind the file system (dmesg, mount), the process at the other end of the connection."
falsely    = "A trace that was cut while a slow but healthy read was under way. A launcher that waits for its children in a read of a pipe is left out on purpose."
references = ["https://man7.org/linux/man-pages/man1/strace.1.html"]
*/
WITH waits AS (
  -- a call that the tracer came upon began before
  SELECT file_id, line_no, trace, pid, tid, main, rank, host, CASE WHEN NOT caught_in_it THEN time END AS time, syscall, args, fd, path, peer, CASE WHEN waited_seconds >= 1 THEN waited_seconds END AS seconds,
         CASE WHEN stuck_writing THEN 'reader' ELSE waits_on END AS waits_on, 'never returned' AS how, 0::BIGINT AS tries, line_no AS last_line, filesystem
  FROM (SELECT *, -- what is written goes into a buffer; a thread that was found writing and never came back has nobody who empties it
          syscall IN ('write', 'writev', 'sendto', 'sendmsg') AND waits_on IN ('pipe', 'socket', 'other') AND never_moved AND fd > 2 AND (coalesce(waited_seconds >= 3, lines_since >= 20) OR caught_in_it) AS stuck_writing
        FROM waiting_for_syscall)
  WHERE injected IS NULL
    AND (stuck_writing OR waits_on IN ('lock', 'file') AND (coalesce(waited_seconds >= 3, lines_since >= 20) OR caught_in_it AND (waits_on = 'lock' OR never_moved OR NOT did_before))
      OR waits_on = 'device' AND waited_seconds >= 30
      -- a trace attached to a process that does nothing at all has but a line or two of it
      OR waits_on IN ('socket', 'pipe') AND main AND (is_rank OR processes = 1) AND (waited_seconds >= 10 OR caught_in_it AND thread_lines <= 2) AND (is_rank OR syscall NOT LIKE 'accept%'))
  UNION ALL
  -- took minutes, then went on: only where it is by far the longest of its kind
  SELECT file_id, line_no, trace, pid, tid, main, rank, host, time, syscall, args, fd, path, peer, seconds,
         CASE WHEN syscall = 'flock' OR contains(args, 'SETLKW') THEN 'lock' ELSE 'file' END, 'returned late', 0, end_line, NULL
  FROM strace_known
  WHERE NOT never_returned AND seconds >= 30 AND injected IS NULL
    AND (syscall = 'flock' OR (syscall = 'fcntl' AND contains(args, 'SETLKW'))
      OR syscall IN ('open', 'openat', 'creat', 'mkdir', 'mkdirat', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat', 'stat', 'lstat', 'newfstatat', 'statx', 'access', 'read', 'pread64', 'readv', 'write', 'pwrite64', 'writev', 'fsync', 'fdatasync', 'close', 'getdents64', 'ftruncate', 'fallocate')
         AND fd_kind IS DISTINCT FROM 'pipe' AND fd_kind IS DISTINCT FROM 'stream' AND fd_kind IS DISTINCT FROM 'unix' AND fd_kind IS DISTINCT FROM 'other'
         AND path IS NOT NULL AND NOT starts_with(path, '/dev/') AND NOT starts_with(path, '/proc/'))
  UNION ALL
  SELECT p.file_id, p.first_line, p.trace, t.pid, p.tid, t.main, t.rank, t.host, NULL, p.syscall, '', NULL, p.path, NULL, p.waited_seconds, p.waits_on, 'polls', p.tries, p.last_line, NULL
  FROM strace_polling p JOIN strace_thread t ON t.trace = p.trace AND t.tid = p.tid
), held AS (   -- who else in these traces took the same lock and did not give it back
  SELECT w.file_id, w.line_no, max(k.pid) AS holder_pid, max_by(line_at(k.file_id, k.line_no), k.line_no) AS holder_line
  FROM waits w JOIN strace_known k ON k.path = w.path AND k.tid <> w.tid AND k.syscall = 'flock' AND k.result = '0' AND contains(k.args, 'LOCK_EX')
  WHERE w.waits_on = 'lock'
    AND NOT EXISTS (FROM strace_known u WHERE u.path = k.path AND u.tid = k.tid AND u.syscall = 'flock' AND contains(u.args, 'LOCK_UN') AND u.line_no > k.line_no) GROUP BY ALL
), grouped AS (   -- many threads or ranks at the same thing are one incident
  SELECT syscall, waits_on, how, coalesce(path, peer, '') AS target,
         list(DISTINCT rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
         list(DISTINCT coalesce(pid, tid) ORDER BY coalesce(pid, tid)) FILTER (coalesce(pid, tid) > 0) AS pids, list(DISTINCT tid ORDER BY tid) FILTER (tid > 0) AS tids, max(seconds) AS seconds, min(time) AS started,
         any_value(fd) AS fd, any_value(path) AS path, any_value(peer) AS peer, sum(tries)::BIGINT AS tries, any_value(args) AS args, any_value(filesystem) AS filesystem, max(h.holder_pid) AS holder_pid,
         list_concat(list(line_at(w.file_id, w.line_no) ORDER BY w.file_id, w.line_no)[:20], list(DISTINCT line_at(w.file_id, w.last_line)) FILTER (w.last_line <> w.line_no)[:3], list(h.holder_line) FILTER (h.holder_line IS NOT NULL)) AS evidence
  FROM waits w LEFT JOIN held h ON h.file_id = w.file_id AND h.line_no = w.line_no
  GROUP BY syscall, waits_on, how, coalesce(path, peer, '')
), kernel AS (
  SELECT *, k.times >= 2 AND k.is_python OR k.waits_on = 'stopped' AND k.rank IS NOT NULL OR EXISTS (FROM stack_main AS m WHERE m.pid = k.pid AND m.failure IN ('no_stack', 'stopped'))
      OR EXISTS (FROM stack_verdict AS v WHERE list_contains(v.pids, k.pid)) AS proven
  FROM (
    SELECT w.pid, max(coalesce(w.rank, r.rank)) AS rank, max(coalesce(w.host, r.host)) AS host, any_value(w.waits_on) AS waits_on, any_value(w.kernel_function ORDER BY w.kernel_function) AS kernel_function,
      greatest(count(*) FILTER (w.state IS NULL), count(*) FILTER (w.state IS NOT NULL)) AS times, list(line_at(w.file_id, w.line_no) ORDER BY w.file_id, w.line_no)[:4] AS evidence, bool_or(r.rank IS NOT NULL OR contains(w.cmdline, 'python')) AS is_python
    FROM kernel_wait AS w LEFT JOIN (SELECT pid, any_value(rank) AS rank, any_value(host) AS host FROM (SELECT pid, rank, host FROM stack_known_rank UNION SELECT pid, rank, host FROM stack_main WHERE rank IS NOT NULL AND role = 'rank')
               GROUP BY pid HAVING count(DISTINCT rank) = 1) AS r ON r.pid = w.pid
    WHERE w.waits_on IS NOT NULL GROUP BY w.pid, w.waits_on
  ) AS k
)
SELECT CASE WHEN len(ranks) > 0 THEN 'rank ' || ranges(ranks) || coalesce(' (pid ' || array_to_string(pids, ', ') || ')', '') ELSE coalesce('pid ' || array_to_string(pids, ', '), 'The traced process') END
       || CASE how WHEN 'polls' THEN CASE waits_on WHEN 'lock' THEN ' tries the lock ' || path || ' again and again (' || tries || ' times'
                                                   ELSE ' looks for ' || path || ', which is not there, again and again (' || tries || ' times' END || coalesce(' in ' || round(seconds, 1) || ' s', '') || ')'
          ELSE CASE waits_on WHEN 'lock' THEN ' waits for a file lock: ' || syscall || coalesce(' on ' || path, '')
                             WHEN 'socket' THEN ' waits for a peer: ' || syscall || coalesce(' from ' || peer, '')
                             WHEN 'pipe' THEN ' waits for the writer of a pipe: ' || syscall
                             WHEN 'reader' THEN ' cannot write: ' || syscall || coalesce(' to ' || coalesce(peer, path), ' to descriptor ' || fd) || ', which nobody reads'
                             ELSE ' sits in ' || syscall || coalesce(' on ' || path || coalesce(' (' || filesystem || ')', ''), '') END
               || CASE how WHEN 'returned late' THEN ', which took ' || round(seconds, 1) || ' s' ELSE coalesce(' for at least ' || round(seconds, 1) || ' s', '') || ', not returned when the trace ended' END END
       || coalesce('; pid ' || holder_pid || ' took it and did not give it back', '') AS summary,
       CASE WHEN how = 'polls' AND waits_on <> 'lock' THEN 'possible' WHEN waits_on IN ('socket', 'pipe') THEN 'possible' ELSE 'probable' END AS confidence,
       CASE WHEN how = 'returned late' THEN 'warning' END AS severity,
       CASE waits_on WHEN 'lock' THEN 'Find who holds ' || coalesce(path, 'the lock') || ' (lslocks, fuser -v; on NFS look at the other hosts too), end that process, remove a stale lock file.'
                     WHEN 'socket' THEN 'Look at the process at ' || coalesce(peer, 'the other end of the connection (ss -tnp)') || ': does it live, and what does it wait for?'
                     WHEN 'reader' THEN 'Find the process that should read the other end of descriptor ' || coalesce(fd::VARCHAR, '') || ' (ls -l /proc/PID/fd, lsof) and what it waits for.'
                     WHEN 'device' THEN 'The driver does not answer: look for Xid lines in dmesg of this host, and at nvidia-smi.'
                     WHEN 'missing file' THEN 'Find out which process should write ' || path || ', and why it did not.'
                     WHEN 'pipe' THEN 'Find the process that should write into the pipe (lsof, /proc/PID/fd).'
                     ELSE 'Is ' || coalesce(path, 'the file') || ' a pipe without a writer, or on a file system that does not answer? Look at stat, mount and dmesg of this host.' END AS action,
       evidence, started AS at, ranks, hosts, pids, CASE WHEN len(pids) = 1 THEN pids[1] END AS pid, tids, syscall, fd, path, path AS fd_path, coalesce(path, peer) AS target, peer,
       seconds, CASE WHEN how = 'polls' THEN tries END AS tries, waits_on, filesystem, holder_pid
FROM grouped
UNION ALL BY NAME
-- context: what a main thread waits in that says nothing of why
SELECT 'The main thread' || coalesce(' of rank ' || w.rank, '') || coalesce(' (pid ' || nullif(w.pid, 0) || ')', '') || CASE w.waits_on WHEN 'poll' THEN ' waits for an event in ' || w.syscall
         ELSE CASE WHEN contains(w.args, '_PRIVATE') THEN ' waits for another thread (' ELSE ' waits for a lock or semaphore shared with other processes (' END || 'futex, ' || CASE WHEN w.has_deadline THEN 'with a time limit)' ELSE 'no time limit)' END END
       || CASE WHEN w.waited_seconds >= 1 THEN ' for at least ' || round(w.waited_seconds, 1) || ' s' ELSE '' END || ': a lock, a queue or a collective; a stack dump tells which' AS summary,
       'info' AS severity, 'py-spy dump --native --pid ' || coalesce(nullif(w.pid, 0)::VARCHAR, 'PID') || ' on that host, twice, some seconds apart.' AS action, [line_at(w.file_id, w.line_no)] AS evidence, w.time AS at,
       CASE WHEN w.rank IS NOT NULL THEN [w.rank] END AS ranks, CASE WHEN w.host IS NOT NULL THEN [w.host] END AS hosts, [w.pid] AS pids, w.syscall, w.waited_seconds AS seconds, w.waits_on
FROM waiting_for_syscall w WHERE w.waits_on IN ('futex', 'poll') AND w.main AND (w.is_rank OR w.processes = 1 OR w.never_moved) AND (w.waited_seconds >= 10 OR w.caught_in_it AND w.thread_lines <= 2 OR w.never_moved AND w.lines_since >= 20)
UNION ALL BY NAME
SELECT 'The main thread' || coalesce(' of rank ' || t.rank, '') || coalesce(' (pid ' || nullif(t.pid, 0) || ')', '') || ' only polls: ' || p.asking || ' of its ' || p.calls || ' calls in the last ' || round(p.seconds, 1)
       || ' s ask whether it may go on, mostly ' || p.syscall || CASE p.syscall WHEN 'futex' THEN ' with a short time limit, as for the interpreter lock' ELSE '' END || ': it waits, however busy it looks' AS summary,
       'info' AS severity, 'py-spy dump --native --pid ' || coalesce(nullif(t.pid, 0)::VARCHAR, 'PID') || ' on that host tells what it polls for.' AS action, [line_at(p.file_id, p.first_line), line_at(p.file_id, p.last_line)] AS evidence,
       CASE WHEN t.rank IS NOT NULL THEN [t.rank] END AS ranks, CASE WHEN t.host IS NOT NULL THEN [t.host] END AS hosts, [t.pid] AS pids, p.syscall, round(p.seconds, 1) AS seconds, p.asking AS tries, 'poll' AS waits_on
FROM strace_pace p JOIN strace_thread t ON t.trace = p.trace AND t.tid = p.tid
UNION ALL BY NAME
-- ps and /proc/PID/stack: a process in the kernel. One look proves nothing, everybody who reads a file stands there for a moment: it was
-- seen so twice, or its dump failed for it, or others wait meanwhile.
SELECT CASE WHEN k.rank IS NOT NULL THEN 'rank ' || k.rank || ' (pid ' || k.pid || ')' ELSE 'pid ' || k.pid END
       || CASE WHEN k.waits_on = 'stopped' THEN ' is stopped (state T)' ELSE ' waits in the kernel for ' || k.waits_on || ' (' || k.kernel_function || '), uninterruptible (state D)' END AS summary,
       'probable' AS confidence,
       CASE WHEN k.waits_on = 'stopped' THEN 'Find out who stopped it (a debugger, kill -STOP, job control) and continue it: kill -CONT ' || k.pid || '.'
            ELSE 'Look at ' || k.waits_on || ' on this host: dmesg, mount, a small read; a process in state D cannot be killed before the call returns.' END AS action,
       k.evidence, CASE WHEN k.rank IS NOT NULL THEN [k.rank] END AS ranks, CASE WHEN k.host IS NOT NULL THEN [k.host] END AS hosts, [k.pid] AS pids, k.pid,
       k.kernel_function, k.waits_on, CASE WHEN k.waits_on = 'stopped' THEN 'T (stopped)' ELSE 'D (uninterruptible)' END AS process_state
FROM kernel AS k
WHERE k.proven
UNION ALL BY NAME
-- once only: context
SELECT CASE WHEN len(pids) = 1 THEN 'pid ' || pids[1] || ' was' ELSE len(pids) || ' processes (pids ' || array_to_string(pids[:8], ', ') || CASE WHEN len(pids) > 8 THEN ', …' ELSE '' END || ') were' END
       || ' seen once in a wait in the kernel for ' || waits_on || ' (' || kernel_function || '): everybody who reads a file stands there for a moment' AS summary,
       'info' AS severity, 'cat /proc/' || pids[1] || '/stack again a minute later: the same function then is a hang. Look at ' || waits_on || ' on this host: dmesg, mount, a small read.' AS action,
       evidence, hosts, pids, CASE WHEN len(pids) = 1 THEN pids[1] END AS pid, kernel_function, waits_on
FROM (
  SELECT waits_on, kernel_function, list(pid ORDER BY pid) AS pids, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, flatten(list(evidence ORDER BY pid))[:6] AS evidence
  FROM kernel WHERE NOT proven AND waits_on NOT IN ('stopped', 'a block device') GROUP BY waits_on, kernel_function)
