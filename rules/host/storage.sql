/*
title       = "A file server did not answer"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network.peer_lost", "crash", "loss.rollback", "perf.slowdown"]
explains_here = ["host.cpu_stall"]
about       = """
A network or parallel file system lost its server, the server threw the client out, or a file handle went stale. On hard mounts programs wait
without an error until the server is back; on soft mounts, and after an eviction, reads and writes fail.
"""
remedy      = "Look at the named server and the network to it at that time; after an eviction or a stale handle mount again; check that checkpoints written at that time are whole."
falsely     = "A short restart of the server that every program waited out."
references  = ["https://doc.lustre.org/lustre_manual.xhtml#lustrerecovery"]
*/
WITH events AS (
  SELECT *, regexp_replace(device, '-(mdc|osc|osp|lwp)-[0-9a-fx]+$', '') AS server, coalesce(epoch(time), uptime_seconds) AS t FROM kernel_event WHERE kind IN ('storage_lost', 'storage_back', 'storage_evicted', 'storage_error')
), per_host AS (
  SELECT server, host, file_id, min(time) FILTER (kind <> 'storage_back') AS "at", max(time) AS until, count(*) FILTER (kind <> 'storage_back') AS times,
         arg_max(kind, (t, line_no)) FILTER (kind IN ('storage_lost', 'storage_back')) = 'storage_back' AS is_back, max(t) - min(t) AS seconds,
         bool_or(kind = 'storage_evicted') AS evicted, bool_or(kind = 'storage_lost') AS lost, list(line_at(file_id, line_no) ORDER BY line_no)[1:10] AS evidence
  FROM events GROUP BY ALL
), servers AS (
  SELECT server, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, min("at") AS "at", max(until) AS until, sum(times)::BIGINT AS times, bool_and(coalesce(is_back, false)) AS is_back, max(seconds) AS seconds, bool_or(evicted) AS evicted,
         flatten(list(evidence))[1:20] AS evidence
  FROM per_host WHERE lost OR evicted GROUP BY server
), stale AS (
  SELECT list_sort(list(DISTINCT rank) FILTER (rank IS NOT NULL)) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, min(time) AS "at", max(time) AS until, count(*) AS times,
         any_value(message) AS message, any_value(nullif(regexp_extract(message, ': ''([^'']+)''', 1), '')) AS path, regexp_extract(message, '(Stale file handle|Remote I/O error|Transport endpoint is not connected|Input/output error|Cannot send after transport endpoint shutdown)', 1) AS error,
         list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:20] AS evidence
  FROM exception WHERE class IN ('OSError', 'IOError', 'RuntimeError', 'FileNotFoundError', 'ConnectionAbortedError', 'SafetensorError')
    AND regexp_matches(message, 'Errno (116|121|108|5)\]|Errno 107\] Transport endpoint is not connected: ''/|failed with (Stale file handle|Remote I/O error)|os error 116') GROUP BY ALL
  HAVING error <> ''
)
SELECT concat('file server ', coalesce(server, '(not named)'), CASE WHEN evicted THEN ' evicted this client' WHEN is_back THEN format(' did not answer for {} s', coalesce(round(seconds)::BIGINT::VARCHAR, 'some')) ELSE ' does not answer' END,
              CASE WHEN len(hosts) > 0 THEN ', seen by ' || array_to_string(list_sort(hosts)[1:5], ', ') ELSE '' END) AS summary,
       evidence, "at", until, hosts, CASE WHEN evicted OR NOT is_back THEN 'critical' WHEN coalesce(seconds, 0) >= 120 THEN 'warning' ELSE 'info' END AS severity, 'definite' AS confidence,
       server AS device, server AS server, NULL::VARCHAR AS path, NULL::VARCHAR AS error, CASE WHEN is_back THEN seconds END AS seconds, times, []::BIGINT[] AS ranks
FROM servers
UNION ALL BY NAME
SELECT concat(CASE WHEN len(ranks) > 0 THEN 'ranks ' || ranges(ranks) || ': ' ELSE '' END, error, coalesce(' on ' || path, '')) AS summary, evidence, "at", until, hosts, 'critical' AS severity,
       CASE WHEN error = 'Input/output error' THEN 'probable' ELSE 'definite' END AS confidence, path, error, times, ranks
FROM stale
