/*
title      = "A disk is full, or a quota is used up"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["crash", "hang", "loss.rollback"]
about      = """
A write failed because the file system had no space or no inodes left, or the user's quota was reached. Usually a checkpoint, a cache or a log.
A full /dev/shm is another matter: see oom.shared_memory.
"""
remedy     = "Free space or raise the quota on the named file system (df -h, df -i, quota -s), keep fewer checkpoints, move caches and logs; then resume from the last complete checkpoint."
falsely    = "A message alone does not say which file system; torch's writer also fails in this way on an error of a network file system (graded lower)."
references = ["https://man7.org/linux/man-pages/man3/errno.3.html"]
*/
WITH told AS (
  SELECT 'log' AS source, error, number, path, NULL AS syscall, NULL AS fd_path, host, rank, pid, time, file_id, line_no FROM disk_full d
  WHERE NOT EXISTS (FROM semaphore_call s WHERE s.file_id = d.file_id AND d.line_no - s.line_no BETWEEN 1 AND 4)
  UNION ALL
  SELECT 'strace', errno, CASE errno WHEN 'ENOSPC' THEN 28 ELSE 122 END, path, syscall, path, host, rank, nullif(pid, 0), time, file_id, line_no
  FROM strace_known
  WHERE errno IN ('ENOSPC', 'EDQUOT') AND injected IS NULL AND syscall NOT IN ('inotify_add_watch', 'epoll_ctl', 'semget', 'shmget', 'add_key', 'bpf', 'perf_event_open')
    AND NOT (coalesce(path, '') LIKE '/dev/shm%' OR coalesce(path, '') LIKE '%memfd:%' OR coalesce(path, '') LIKE '%/torch\_%' ESCAPE '\')
)
SELECT CASE WHEN list_contains(list(error), 'EDQUOT') THEN 'The quota is used up' WHEN count(*) FILTER (error = 'ENOSPC') > 0 THEN 'No space is left on the device' ELSE 'A checkpoint could not be written, probably for want of space' END
       || coalesce(' for ' || coalesce(min_by(path, line_no) FILTER (source = 'strace' AND path IS NOT NULL), min_by(path, line_no) FILTER (path IS NOT NULL)), '')
       || coalesce(' (rank ' || ranges(list(DISTINCT rank) FILTER (rank IS NOT NULL)) || ')', ' (pid ' || string_agg(DISTINCT pid::VARCHAR, ', ') || ')', '')
       || CASE WHEN count(*) > 1 THEN ', said ' || count(*) || ' times' ELSE '' END AS summary,
       CASE WHEN count(*) FILTER (error <> 'torch_writer') = 0 THEN 'possible' END AS confidence,
       list(line_at(file_id, line_no) ORDER BY error = 'torch_writer', file_id, line_no)[:20] AS evidence, min(time) AS at,
       list(DISTINCT rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
       coalesce(min_by(path, line_no) FILTER (source = 'strace' AND path IS NOT NULL), min_by(path, line_no) FILTER (path IS NOT NULL)) AS path,
       min_by(fd_path, line_no) FILTER (fd_path IS NOT NULL) AS fd_path, list(DISTINCT path) FILTER (path IS NOT NULL)[:10] AS paths,
       CASE WHEN count(*) FILTER (source = 'strace') > 0 THEN mode(error) FILTER (source = 'strace') WHEN max(number) IS NOT NULL THEN max(number)::VARCHAR ELSE mode(error) FILTER (error <> 'torch_writer') END AS errno,
       mode(error) FILTER (error <> 'torch_writer') AS error,
       mode(syscall) FILTER (syscall IS NOT NULL) AS syscall, list(DISTINCT pid ORDER BY pid) FILTER (pid IS NOT NULL) AS pids, CASE WHEN count(DISTINCT pid) = 1 THEN any_value(pid) END AS pid
FROM told GROUP BY ALL HAVING count(*) > 0
