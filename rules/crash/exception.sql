/*
title      = "A Python exception ended the program"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "divergence.stack", "divergence.collective_count", "loss.rollback"]
explains_here = ["crash.signal"]
momentary     = true
about      = """
The first exception across ranks that is the program's own: not the echo in the ranks that lost their peer, not the launcher's summary, not what out-of-memory, GPU, collective or disk rules tell better. An exception after which training went on is not reported.
"""
remedy     = "Read the named line of the traceback; fix the cause there. Where only some ranks raised it, look at what differs for them: their data shard, their host."
falsely    = "An exception that was logged and handled at the very end of a log."
references = ["https://docs.python.org/3/library/exceptions.html"]
*/
WITH own AS (
  SELECT *, class || '|' || regexp_replace(left(message, 160), '[0-9]+|0x[0-9a-f]+', '#', 'g') AS alike FROM fatal_exception
  WHERE kind IN ('own', 'config', 'checkpoint', 'incompatible', 'writer', 'loss')
    -- torch's word for parameters that differ is also what an init that timed out leaves behind
    AND NOT (contains(message, 'DDP expects same model across all ranks') AND EXISTS (FROM c10d_timeout_line))
), first_rank AS (
  SELECT DISTINCT rank FROM "exit" WHERE first_observed AND rank IS NOT NULL
), grouped AS (
  SELECT alike, min_by(type, line_no) AS type, min_by(class, line_no) AS class, min_by(message, line_no) AS message, min_by(file, line_no) FILTER (file IS NOT NULL) AS file, min_by(line, line_no) FILTER (file IS NOT NULL) AS line,
         min_by("function", line_no) FILTER (file IS NOT NULL) AS "function", list(DISTINCT rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
         list(DISTINCT pid ORDER BY pid) FILTER (pid IS NOT NULL) AS pids, list(DISTINCT local_rank) FILTER (local_rank IS NOT NULL AND rank IS NULL) AS local_ranks, list(DISTINCT task) FILTER (task IS NOT NULL AND rank IS NULL) AS tasks, min(time) AS started, bool_or(certain) AS certain, bool_or(kind = 'loss' OR in_thread) AS weak, min(file_id * 100000000 + line_no) AS place,
         bool_or(rank IN (FROM first_rank)) AS of_first_rank, bool_or(chain_uncaught) AS uncaught, count(*) AS times,
         min_by(frames, line_no) FILTER (frames IS NOT NULL) AS frames, min_by(raised_class, line_no) AS raised_class, min_by(raised_message, line_no) AS raised_message,
         list_concat(list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:10], list(line_at(file_id, traceback_line) ORDER BY file_id, line_no) FILTER (traceback_line IS NOT NULL)[:3]) AS evidence
  FROM own GROUP BY alike
), ordered AS (
  SELECT *, row_number() OVER (ORDER BY coalesce(of_first_rank, false) DESC, uncaught DESC, started NULLS LAST, place) AS n FROM grouped
)
SELECT coalesce('Rank ' || ranges(ranks) || ' raised ', '') || class || CASE WHEN message = '' THEN '' ELSE ': ' || left(split_part(message, E'\n', 1), 200) END
       || coalesce(' at ' || file || ':' || line, '') AS summary,
       evidence, started AS at, ranks, hosts, CASE WHEN n > 1 OR NOT certain AND EXISTS (FROM stack_process) THEN 'info' WHEN weak OR NOT certain THEN 'warning' END AS severity, CASE WHEN NOT certain OR weak THEN 'possible' WHEN NOT uncaught THEN 'probable' END AS confidence,
       type, left(message, 1000) AS message, file, line, "function", pids, CASE WHEN len(pids) = 1 THEN pids[1] END AS pid, CASE WHEN len(local_ranks) = 1 THEN local_ranks[1] END AS local_rank, CASE WHEN len(tasks) = 1 THEN tasks[1] END AS task, times,
       CASE WHEN raised_class <> class OR raised_message <> message THEN raised_class END AS raised_type, CASE WHEN raised_message <> message THEN left(raised_message, 500) END AS raised_message,
       list_filter(frames, lambda f: NOT regexp_matches(f, 'site-packages|dist-packages|/lib/python|<frozen'))[-1] AS own_code
FROM ordered
