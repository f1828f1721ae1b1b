/*
title       = "A peer closed its connection"
severity    = "warning"
confidence  = "possible"
status      = "stable"
about       = """
The other end went away. That is nearly always the echo of something that happened there: look for the peer's own end first.
"""
remedy      = "Find the log of the named peer and what it said last; look at its kernel log (OOM killer, Xid) and at how its process ended. Nothing is wrong here."
falsely     = "The job was taken down on purpose and one process was faster than the others."
*/
WITH lost AS (
  SELECT s.* REPLACE (nullif(s.peer, '') AS peer), coalesce(s.rank, p.rank) AS job_rank, a.host AS peer_host
  FROM nccl_socket s LEFT JOIN nccl_process p ON p.host = s.host AND p.pid = s.pid LEFT JOIN address_host a ON a.address = s.peer
  WHERE s.event IN ('closed_by_peer', 'io_failed', 'no_peer_address') AND NOT regexp_matches(coalesce(s.error, ''), 'timed out|No route to host|unreachable')
    -- a process that has torn its communicators down before does not mind
    AND NOT EXISTS (FROM nccl_comm c WHERE c.host = s.host AND c.pid = s.pid AND c.file_id = s.file_id AND c.line_no < s.line_no AND regexp_matches(c.event, '^(Destroy|Abort|Revoke) '))
)
SELECT format('{} lost the connection to {}{}', CASE WHEN count(DISTINCT host) = 1 THEN min(host) WHEN count(host) = 0 THEN 'A process' ELSE count(DISTINCT host) || ' hosts' END,
              CASE WHEN count(DISTINCT peer) = 1 THEN coalesce(any_value(peer_host) || ' (' || min(peer) || ')', min(peer)) WHEN count(peer) = 0 THEN 'a peer that is not named' ELSE count(DISTINCT peer) || ' peers' END,
              ': the peer closed it, its own end is the cause') AS summary,
       list(line_at(file_id, line_no) ORDER BY time NULLS LAST, file_id, line_no) AS evidence,
       min(time) AS at, max(time) AS until, list(DISTINCT job_rank ORDER BY job_rank) FILTER (job_rank IS NOT NULL) AS ranks,
       list(DISTINCT host ORDER BY host) FILTER (host IS NOT NULL) AS hosts,
       mode(peer) AS peer, list(DISTINCT peer ORDER BY peer) FILTER (peer IS NOT NULL) AS peers, mode(peer_host) AS peer_host, mode(port) AS port, count(*) AS times
FROM lost HAVING count(*) > 0
UNION ALL BY NAME
-- gloo: where nothing else is told that could have ended the job, who does not complain has gone first
SELECT 'gloo on ranks ' || ranges(list(DISTINCT g.rank)) || ' lost the connection to a peer'
         || CASE WHEN len(any_value(o.quiet)) = 1 THEN '; rank ' || any_value(o.quiet)[1] || ' does not complain: it ended, or went another way, before them' ELSE ': the peer closed it, its own end is the cause' END AS summary,
       list(line_at(g.file_id, g.line_no) ORDER BY g.time NULLS LAST, g.file_id, g.line_no) AS evidence, min(g.time) AS at, list_sort(list(DISTINCT g.rank)) AS ranks,
       CASE WHEN len(any_value(o.quiet)) = 1 THEN 'Look at the end of rank ' || any_value(o.quiet)[1] || ': did it leave its loop early (fewer batches, a break, sys.exit)?' END AS action,
       mode(g.peer) AS peer, list(DISTINCT g.peer ORDER BY g.peer) AS peers, mode(g.port) AS port, count(*) AS times, CASE WHEN len(any_value(o.quiet)) = 1 THEN any_value(o.quiet) END AS quiet_ranks
FROM gloo_error g
CROSS JOIN (SELECT list_filter(range(greatest((SELECT max(rank) FROM rank), max(rank)) + 1), lambda r: NOT list_contains(list(DISTINCT rank), r)) AS quiet FROM gloo_error WHERE rank IS NOT NULL) o
WHERE g.rank IS NOT NULL AND NOT EXISTS (FROM fatal_exception) AND NOT EXISTS (FROM c10d_timeout_line) AND NOT EXISTS (FROM c10d_barrier) AND NOT EXISTS (FROM c10d_size) AND NOT EXISTS (FROM c10d_fingerprint)
  AND NOT EXISTS (FROM death WHERE signal IN (4, 6, 7, 8, 9, 11)) AND NOT EXISTS (FROM scheduler_event) AND EXISTS (FROM exit WHERE exitcode > 0)
HAVING count(*) > 0
UNION ALL BY NAME
-- gloo in a log that tells no ranks, as the exception that ended its process
SELECT 'A process lost its gloo connection to ' || mode(g.peer) || ': the peer closed it, its own end is the cause' AS summary,
       list(line_at(g.file_id, g.line_no) ORDER BY g.file_id, g.line_no) AS evidence, min(g.time) AS at, list(DISTINCT g.host) FILTER (g.host IS NOT NULL) AS hosts,
       mode(g.peer) AS peer, list(DISTINCT g.peer ORDER BY g.peer) AS peers, mode(g.port) AS port, count(*) AS times
FROM gloo_error g JOIN exception e ON e.file_id = g.file_id AND e.line_no = g.line_no
WHERE NOT EXISTS (FROM gloo_error WHERE rank IS NOT NULL) AND NOT EXISTS (FROM fatal_exception) AND NOT EXISTS (FROM c10d_timeout_line) AND NOT EXISTS (FROM scheduler_event)
  AND NOT EXISTS (FROM death WHERE signal IN (4, 6, 7, 8, 9, 11))
HAVING count(*) > 0
UNION ALL BY NAME
-- NCCL's word for it, where nothing names the peer
SELECT coalesce('Rank ' || ranges(list(DISTINCT e.rank) FILTER (e.rank IS NOT NULL)), 'A process') || ' lost a peer, says NCCL: a remote process exited, or the network to it failed' AS summary,
       list(line_at(e.file_id, e.line_no) ORDER BY e.time NULLS LAST, e.file_id, e.line_no)[:20] AS evidence, min(e.time) AS at, max(e.time) AS until, list_sort(list(DISTINCT e.rank) FILTER (e.rank IS NOT NULL)) AS ranks,
       list(DISTINCT e.host) FILTER (e.host IS NOT NULL) AS hosts, count(*) AS times
FROM c10d_nccl_error e
WHERE e.error LIKE 'remote process exited%' AND NOT EXISTS (FROM nccl_socket) AND NOT EXISTS (FROM nccl_ib_error) AND NOT EXISTS (FROM nccl_ofi_error) AND NOT EXISTS (FROM fatal_exception WHERE kind <> 'collective')
HAVING count(*) > 0
UNION ALL BY NAME
-- The store through which processes find each other went with the process that held it.
SELECT CASE WHEN bool_or(l.agent) THEN 'The launcher''s agent' ELSE coalesce('Rank ' || ranges(list(DISTINCT l.rank) FILTER (l.rank IS NOT NULL)), 'A process') END || coalesce(' on ' || min(l.host), '')
         || ' lost the store through which processes find each other: what held it (rank 0 or its agent, on the first node) ended before' AS summary,
       list(line_at(l.file_id, l.line_no) ORDER BY l.file_id, l.line_no)[:20] AS evidence, min(l.time) AS at, max(l.time) AS until, list_sort(list(DISTINCT l.rank) FILTER (l.rank IS NOT NULL)) AS ranks,
       list(DISTINCT l.host) FILTER (l.host IS NOT NULL) AS hosts, 'Find the log of rank 0 and of the launcher on the first node (MASTER_ADDR, --rdzv-endpoint) and what they said last.' AS action, count(*) AS times
FROM (
  SELECT file_id, line_no, time, rank, host, true AS agent FROM c10d_store WHERE event = 'rendezvous' AND error = 'RendezvousConnectionError'
  UNION ALL
  SELECT file_id, line_no, time, rank, host, false FROM exception
  WHERE class IN ('RuntimeError', 'DistNetworkError', 'DistStoreError') AND regexp_matches(message, '^(?:Connection reset by peer|Broken pipe|Connection closed by peer|Failed to recv, got 0 bytes|failed to recv, got 0 bytes)')
    AND final AND regexp_matches(array_to_string(frames, ' '), 'torch/distributed/(?:distributed_c10d|rendezvous|elastic/[a-z_/]+)\.py')
) l
WHERE NOT EXISTS (FROM connect_failure) AND NOT EXISTS (FROM fatal_exception WHERE kind <> 'collective') AND NOT EXISTS (FROM c10d_timeout_line) AND NOT EXISTS (FROM c10d_heartbeat) AND NOT EXISTS (FROM c10d_nccl_error) AND NOT EXISTS (FROM scheduler_event)
  AND NOT EXISTS (FROM ended_from_outside) AND NOT EXISTS (FROM death WHERE signal IN (4, 6, 7, 8, 9, 11)) AND NOT EXISTS (FROM "exit" WHERE exitcode BETWEEN 1 AND 127) AND NOT EXISTS (FROM c10d_store WHERE event IN ('clients_missing', 'key_wait', 'unique_id', 'full_mesh_failed', 'port_taken'))
HAVING count(*) > 0
UNION ALL BY NAME
-- The coordination service of JAX names whose heartbeat it no longer hears: alone in its line, or in a list below one.
SELECT CASE WHEN count(DISTINCT t.lost_task) = 1 THEN 'Process ' ELSE 'Processes ' END || ranges(list(DISTINCT t.lost_task)) || ' of the job sent no more heartbeats, says the coordination service: what happened there is the cause' AS summary,
       list(line_at(t.file_id, t.line_no) ORDER BY t.file_id, t.line_no)[:20] AS evidence, min(t.time) AS at, max(t.time) AS until, list_sort(list(DISTINCT t.lost_task)) AS ranks,
       'Find the log of ' || ranges(list(DISTINCT t.lost_task)) || ' and how it ended; look for a preemption or an eviction of its host.' AS action, count(*) AS times
FROM (
  SELECT file_id, line_no, time, lost_task FROM coordination_task WHERE event = 'heartbeat'
  UNION ALL
  SELECT file_id, line_no, time, lost_task FROM coordination_listed WHERE event = 'unhealthy'
) t
WHERE NOT EXISTS (FROM fatal_exception WHERE kind <> 'collective') AND NOT EXISTS (FROM scheduler_event) AND NOT EXISTS (FROM ended_from_outside) AND NOT EXISTS (FROM death WHERE signal IN (4, 7, 8, 9, 11))
HAVING count(*) > 0
