/*
title       = "Communicator init never completed"
severity    = "critical"
confidence  = "probable"
status      = "stable"
about       = """
Init is a meeting of all ranks: it ends on all of them or on none. Ranks that started and never completed wait for one that did not come,
or for a connection that is not made. A rank whose log is not here is not observed, which is not the same as missing.
"""
remedy      = """
Look for the ranks that never logged `Init START`: their process, their host, an exception before init. If all started, look for connection
errors between hosts (NCCL_SOCKET_IFNAME, firewall) and compare NCCL versions; NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,BOOTSTRAP,NET tells the stage.
"""
falsely     = "The log was cut during init; without any other sign of trouble this is told as information only."
*/
WITH stuck AS (
  SELECT c.*, EXISTS (FROM nccl_topology t JOIN nccl_rank r ON r.host = t.host AND r.pid = t.pid AND r.comm = t.comm WHERE r.comm_key = c.comm_key) AS knows_peers,
         EXISTS (FROM trouble_sign) AS trouble,
         list_filter(range(c.nranks), lambda x: NOT list_contains(c.ranks, x)) AS absent
  FROM communicator c WHERE NOT c.ambiguous AND len(c.incomplete) > 0
), lines AS (
  SELECT comm_key, list(coalesce(start_line, line_at(file_id, line_no)) ORDER BY comm_rank) AS evidence, min(started_at) AS at,
         list(DISTINCT host ORDER BY host) AS hosts
  FROM nccl_rank WHERE starts > completes GROUP BY comm_key
)
SELECT format('Communicator of {} ranks: init started on rank(s) {} and completed on {}{}', s.nranks, ranges(s.incomplete),
              CASE WHEN s.completed IS NULL THEN 'none' ELSE ranges(s.completed) END,
              CASE WHEN len(s.absent) > 0 THEN '; rank(s) ' || ranges(s.absent) || ' never appear in the logs' ELSE '' END) AS summary,
       l.evidence || coalesce((SELECT list(line_at(file_id, line_no)) FROM (FROM trouble_sign ORDER BY time NULLS LAST LIMIT 2)), []) AS evidence,
       l.at, s.incomplete AS ranks, l.hosts, s.nranks, CASE WHEN s.knows_peers THEN 'connect' ELSE 'bootstrap' END AS stage,
       CASE WHEN len(s.absent) > 0 THEN s.absent END AS missing, s.comm_key AS "group",
       CASE WHEN NOT s.trouble THEN 'info' ELSE 'critical' END AS severity,
       CASE WHEN s.trouble THEN 'probable' ELSE 'possible' END AS confidence
FROM stuck s JOIN lines l USING (comm_key)
UNION ALL BY NAME
SELECT CASE event WHEN 'duplicate_rank' THEN format('Two processes came to the communicator as rank {} of {}', rank_a, nranks)
                  ELSE format('Processes came to one communicator with different sizes: {} and {}', rank_a, rank_b) END AS summary,
       list(line_at(file_id, line_no)) AS evidence, min(time) AS at, CASE event WHEN 'duplicate_rank' THEN list(DISTINCT rank_a) END AS ranks,
       list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, max(nranks) AS nranks, 'bootstrap' AS stage, 'definite' AS confidence
FROM nccl_usage WHERE event IN ('duplicate_rank', 'rank_count_mismatch') GROUP BY event, rank_a, rank_b, nranks
UNION ALL BY NAME
-- the store and the rendezvous, before there is a communicator
SELECT CASE WHEN max(joined) > max(nranks) THEN format('{} processes came to the {} of a group of {}: the world size is wrong, or the store holds the keys of an earlier attempt', max(joined), replace(stage, '_', ' '), max(nranks))
            WHEN max(nranks) IS NOT NULL AND max(joined) IS NOT NULL THEN format('{} of {} ranks came to the {}, the others never did', max(joined), max(nranks), replace(stage, '_', ' '))
            ELSE CASE WHEN len(list_distinct(flatten(list(ranks)))) = 1 THEN 'Rank ' || any_value(ranks[1]) WHEN len(flatten(list(ranks))) > 0 THEN 'Ranks ' || ranges(list_distinct(flatten(list(ranks)))) ELSE 'Processes' END
              || CASE WHEN stage = 'unique_id' THEN format(' waited in the store for the id of a communicator, which rank {} of its group has to leave there: {}', coalesce(min(awaited), 0), coalesce(lower(any_value(error)), 'it never came'))
                      ELSE format(' waited for others at the stage {} and gave up', replace(stage, '_', ' ')) END END
         || CASE WHEN stage = 'store' AND (SELECT count(*) FROM gloo_rank_awaited) = 1 THEN ': rank ' || (SELECT rank_awaited FROM gloo_rank_awaited) || ' never left its address there' ELSE '' END AS summary,
       list(line_at(file_id, line_no) ORDER BY time NULLS LAST, file_id, line_no) AS evidence, min(time) AS at,
       list_sort(list_distinct(flatten(list(ranks)))) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, max(nranks) AS nranks, max(joined) AS joined,
       stage, max(timeout_ms) AS timeout_ms, any_value(store_key) AS store_key, any_value(error) AS error,
       CASE WHEN stage = 'store' AND (SELECT count(*) FROM gloo_rank_awaited) = 1 THEN (SELECT list(rank_awaited) FROM gloo_rank_awaited) END AS missing, 'probable' AS confidence
FROM init_wait_c10d WHERE NOT EXISTS (FROM c10d_timeout_line) AND NOT EXISTS (FROM c10d_status_line) GROUP BY stage
UNION ALL BY NAME
-- RAS sees ranks in init that others have finished: a moment of the start, unless a second snapshot says the same
SELECT format('RAS: {} of {} ranks of a communicator are still in init, the others have finished it', n, nranks) || CASE WHEN stalled THEN ', in two snapshots' ELSE '' END AS summary,
       evidence, time AS at, ranks::BIGINT[] AS ranks, hosts, nranks::BIGINT AS nranks, 'connect' AS stage, comm_hash AS "group", pids,
       CASE WHEN stalled THEN 'critical' ELSE 'info' END AS severity, CASE WHEN stalled THEN 'probable' ELSE 'possible' END AS confidence
FROM ras_state WHERE ras_status = 'INIT' AND latest AND states > 1
UNION ALL BY NAME
-- JAX: the barrier all processes of the job meet at when they start
SELECT 'The processes of the job did not all come to the barrier of the start'
         || coalesce(': ' || ranges((SELECT list(DISTINCT lost_task) FROM coordination_listed WHERE event = 'start')) || ' never did', '') AS summary,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:20] AS evidence, min(time) AS at, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, 'store' AS stage,
       (SELECT list_sort(list(DISTINCT lost_task)) FROM coordination_listed WHERE event = 'start') AS missing, 'probable' AS confidence,
       'Look for the processes that did not come: were they started, with the same coordinator address and num_processes, and can they reach it?' AS action
FROM coordination_task WHERE event = 'start' HAVING count(*) > 0
