/*
title      = "The run could never have worked: arguments, a missing file, a permission"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["crash.exception", "hang", "network.peer_lost", "network.connect_failure", "network.ib_error"]
about      = """
The program refused its arguments, or failed before the first training step because a file, a module or a right is missing.
"""
remedy     = "Correct the named argument, path or right and start again; nothing has to be recovered."
falsely    = "A file that vanished during the run, where no training step is logged."
references = ["https://docs.python.org/3/library/argparse.html"]
*/
WITH told AS (
  SELECT kind AS what, coalesce(program || ': ', '') || message AS message, NULL AS type, rank, host, pid, time, file_id, line_no, NULL AS file, NULL AS line, 'definite' AS grade
  FROM usage_error u
  WHERE NOT EXISTS (FROM metric_span m WHERE m.file_id = u.file_id AND m.last_line > u.line_no)
  UNION ALL
  SELECT CASE WHEN class IN ('PermissionError') THEN 'permission' WHEN class IN ('FileNotFoundError', 'ModuleNotFoundError', 'IsADirectoryError', 'NotADirectoryError') THEN 'missing file' ELSE 'arguments' END,
         class || ': ' || split_part(message, E'\n', 1), type, rank, host, pid, time, file_id, line_no, file, line, 'probable'
  FROM fatal_exception e
  WHERE kind = 'config' AND certain AND NOT EXISTS (FROM metric_span m WHERE m.file_id = e.file_id AND m.first_line < e.line_no)
    -- a library that refuses what it was given because there was no memory for it
    AND NOT EXISTS (FROM oom_event o WHERE o.file_id = e.file_id AND o.line_no BETWEEN e.raised_line - 200 AND e.raised_line)
  UNION ALL
  SELECT what, message, NULL, rank, host, pid, time, file_id, line_no, NULL, NULL, grade FROM config_error_nccl
  UNION ALL
  SELECT 'port', coalesce('Port ' || port, 'The port') || ' of the store is taken: another job on this host listens there, or one that ended has left a process behind', NULL, rank, host, pid, time, file_id, line_no, NULL, NULL, 'definite'
  FROM c10d_store s WHERE event = 'port_taken' AND NOT EXISTS (FROM metric_span m WHERE m.file_id = s.file_id)
), grouped AS (
  SELECT what, regexp_replace(message, '[0-9]+', '#', 'g') AS alike, min_by(message, line_no) AS message, min_by(type, line_no) AS type, any_value(file) AS file, any_value(line) AS line, min(grade) AS grade,
         list(DISTINCT rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, min(time) AS started, count(*) AS times,
         list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:10] AS evidence, min(file_id * 100000000 + line_no) AS place
  FROM told GROUP BY ALL
)
SELECT left(message, 300) AS summary, evidence, started AS at, ranks, hosts, grade AS confidence, what, left(message, 1000) AS message, type, file, line, times, TRY_CAST(regexp_extract(message, '^Port ([0-9]+) ', 1) AS BIGINT) AS port,
       CASE what WHEN 'port' THEN 'Find who holds the port (ss -ltnp) and end a process that was left behind, or give this job its own: --master-port, or --rdzv-endpoint=localhost:0 on one node.' END AS action,
       nullif(regexp_extract(message, '''(/[^'']+|[^'' ]+\.[a-z0-9]+)''', 1), '') AS path
FROM grouped QUALIFY row_number() OVER (ORDER BY grade, place) = 1
