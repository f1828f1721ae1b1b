/*
title      = "A watchdog gave a collective up"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["network.peer_lost", "divergence.stack", "loss.rollback"]
explains_here = ["crash"]
about      = """
Ranks waited in a collective until its time was over, or the heartbeat monitor found the watchdog thread itself stuck. The ranks named here are those that WAITED. Where no other incident explains it, all of them waited alike: then nobody is late, and the path between them (network, NVLink, a GPU) or a deadlock inside the library is the suspect.
"""
remedy     = "Look for the rank that is not among those that waited. Where all wait alike, test the fabric of these hosts (all_reduce_perf, ib_write_bw, dcgmi diag) and read their kernel logs at the time the collective began."
falsely    = "A step that is honestly longer than the timeout (a first compilation, saving a checkpoint, an uneven last batch) ends the same way: the timeout is then too short."
references = ["https://pytorch.org/docs/stable/torch_nccl_environment_variables.html"]
*/
WITH named AS (
  SELECT *, CASE WHEN grp_desc <> '' THEN grp_desc WHEN grp IS NOT NULL THEN grp END AS own_group FROM c10d_timeout_once),
-- The group stands in another line, which not every rank wrote: the same operation of the same number is that of the ranks that name it.
said AS (
  SELECT rank, host, coalesce(own_group, CASE WHEN min(own_group) OVER same = max(own_group) OVER same THEN min(own_group) OVER same END) AS grp, collective_seq AS seq, op, timeout_ms, ran_ms, numel_in, numel_out, last_enqueued, last_completed, time,
    time - to_milliseconds(coalesce(ran_ms, timeout_ms)) AS started, file_id, line_no, said_by
  FROM named WINDOW same AS (PARTITION BY collective_seq, op, numel_in, numel_out, timeout_ms)),
-- The one that began first; the rest of the hang follows from it.
first_group AS (
  SELECT grp, min(started) AS started, count(DISTINCT rank) AS ranks, min(seq) AS seq FROM said GROUP BY grp ORDER BY started NULLS LAST, ranks DESC, seq LIMIT 1),
mine AS (SELECT s.* FROM said s JOIN first_group f ON f.grp IS NOT DISTINCT FROM s.grp),
-- Where the text was cut, a rank may be there with the status of its group only.
only_status AS (
  SELECT DISTINCT c.rank FROM c10d_status_line c JOIN first_group f ON f.grp IN (c.grp, c.grp_desc) AND c.failed_seq = f.seq
  WHERE c.said_by = 'watchdog' AND c.rank IS NOT NULL AND c.rank NOT IN (SELECT rank FROM said WHERE rank IS NOT NULL)),
of_rank AS (SELECT rank, min(seq) AS seq FROM mine WHERE rank IS NOT NULL GROUP BY rank),
elsewhere AS (
  SELECT string_agg('rank ' || ranks || ' in number ' || seq, ', ' ORDER BY seq) AS said
  FROM (SELECT seq, ranges(list_sort(list(rank))) AS ranks FROM of_rank WHERE seq > (SELECT min(seq) FROM of_rank) GROUP BY seq ORDER BY seq LIMIT 3)),
sums AS (
  SELECT list_sort(list_distinct(coalesce(list(rank) FILTER (rank IS NOT NULL), []) || coalesce((SELECT list(rank) FROM only_status), []))) AS ranks, list_distinct(list(host) FILTER (host IS NOT NULL)) AS hosts, any_value(grp) AS grp, min(seq) AS seq, max(seq) AS max_seq,
    list_sort(list(DISTINCT op)) AS ops, arg_min(op, coalesce(seq, 0)) AS op, max(timeout_ms) AS timeout_ms, max(ran_ms) AS ran_ms, any_value(numel_in) AS numel_in, any_value(numel_out) AS numel_out,
    min(last_completed) FILTER (last_completed < 1000000000000) AS last_completed, max(last_enqueued) FILTER (last_enqueued < 1000000000000) AS last_enqueued,
    min(started) AS started, max(time) AS until, list(line_at(file_id, line_no) ORDER BY time, rank) AS evidence, count(*) AS times, any_value(said_by) AS said_by
  FROM mine HAVING count(*) > 0),
beat AS (
  SELECT list_sort(list(DISTINCT coalesce(rank, group_rank)) FILTER (coalesce(rank, group_rank) IS NOT NULL)) AS ranks, max(stuck_seconds) AS stuck_seconds,
    list_distinct(list(host) FILTER (host IS NOT NULL)) AS hosts, min(time) AS time, list_distinct(list(line_at(file_id, line_no))) AS evidence, max(queued) AS queued,
    CASE WHEN count(DISTINCT coalesce(grp_desc, grp)) = 1 THEN any_value(coalesce(nullif(grp_desc, ''), grp)) END AS grp
  FROM c10d_heartbeat_line HAVING count(*) > 0),
late AS (SELECT DISTINCT unnest(ranks) AS rank FROM missing_rank_suspect),
groups AS (SELECT count(DISTINCT coalesce(grp, '?')) AS n FROM said)
SELECT CASE WHEN len(s.ranks) = 1 THEN 'Rank ' || s.ranks[1] WHEN len(s.ranks) > 1 THEN 'Ranks ' || ranges(s.ranks) ELSE 'A process' END || ' waited '
    || coalesce((s.timeout_ms // 1000) || ' s', 'too long') || ' in ' || CASE WHEN len(s.ops) > 1 THEN array_to_string(s.ops, ' and ') ELSE coalesce(s.op, 'an operation') END
    || coalesce(' number ' || s.seq, '') || coalesce(' of group ' || s.grp, '') || coalesce(' (' || e.said || ')', '') || ' and gave up'
    || CASE WHEN len(s.ranks) > 1 AND s.seq IS NOT DISTINCT FROM s.max_seq AND len(s.ops) = 1 AND NOT EXISTS (FROM late) THEN ': all of them stand in the same operation, none is behind' ELSE '' END
    || CASE WHEN g.n > 1 THEN ' (' || (g.n - 1) || ' more group(s) timed out after it)' ELSE '' END || '.' AS summary,
  s.evidence || coalesce(b.evidence[:3], []) AS evidence, s.started AS "at", s.until, s.ranks, s.hosts,
  s.grp AS "group", s.seq, s.op, s.timeout_ms, s.ran_ms, s.numel_in, s.numel_out, s.last_completed, s.last_enqueued, strftime(s.started, '%Y-%m-%d %H:%M:%S') AS started,
  b.stuck_seconds, b.ranks AS stuck_ranks, NULL::VARCHAR AS host
FROM sums s CROSS JOIN groups g CROSS JOIN elsewhere e LEFT JOIN beat b ON true
UNION ALL BY NAME
SELECT CASE WHEN len(b.ranks) = 1 THEN 'The watchdog thread of rank ' || b.ranks[1] || ' was' WHEN len(b.ranks) > 1 THEN 'The watchdog threads of ranks ' || ranges(b.ranks) || ' were' ELSE 'The watchdog thread of a process was' END || ' stuck for ' || coalesce(b.stuck_seconds::BIGINT || ' s', 'its whole time') || ' (heartbeat monitor): a CUDA or NCCL call that does not return, or the GIL, blocks it.' AS summary,
  b.evidence, coalesce(b.time - to_seconds(coalesce(b.stuck_seconds, 0)), b.time) AS "at", b.time AS until, b.ranks,
  list_distinct(b.hosts || coalesce((SELECT list(e.host) FROM exit e WHERE list_contains(b.ranks, e.rank) AND e.host IS NOT NULL), [])) AS hosts,
  b.grp AS "group", b.stuck_seconds, b.ranks AS stuck_ranks, strftime(b.time - to_seconds(coalesce(b.stuck_seconds, 0)), '%Y-%m-%d %H:%M:%S') AS started, b.queued AS queued,
  (SELECT any_value(e.host) FROM exit e WHERE list_contains(b.ranks, e.rank)) AS host
FROM beat b WHERE NOT EXISTS (FROM said)
UNION ALL BY NAME
-- The watchdog's own line is cut away; its status, or the call for a dump, tells of it all the same.
SELECT CASE WHEN count(DISTINCT coalesce(rank, group_rank)) = 1 THEN 'The watchdog of rank ' || any_value(coalesce(rank, group_rank)) || ' tells' ELSE 'The watchdogs of ranks ' || ranges(list(DISTINCT coalesce(rank, group_rank))) || ' tell' END
    || CASE WHEN count(failed_seq) > 0 THEN ' of an operation that failed or timed out: number ' || min(failed_seq) || coalesce(' of group ' || mode(coalesce(nullif(grp_desc, ''), grp)), '') || '.' ELSE ' of a collective that timed out; which one is not in this log.' END AS summary,
  list(line_at(file_id, line_no) ORDER BY time NULLS LAST, file_id, line_no) AS evidence, min(time) AS "at", max(time) AS until, list_sort(list(DISTINCT coalesce(rank, group_rank))) AS ranks,
  list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, mode(coalesce(nullif(grp_desc, ''), grp)) AS "group", min(failed_seq) AS seq, NULL::VARCHAR AS host,
  min(last_completed) FILTER (last_completed < 1000000000000 AND failed_seq IS NOT NULL) AS last_completed,
  CASE WHEN NOT bool_or(reason ILIKE '%timeout%' AND reason NOT LIKE 'Exception%') THEN 'possible' END AS confidence
FROM c10d_status
WHERE NOT EXISTS (FROM c10d_timeout_line) AND NOT EXISTS (FROM c10d_heartbeat)
  AND (said_by = 'dump_signal' AND reason LIKE '%timeout%'
       -- An error is told so as well: only where nothing else went wrong.
       OR said_by = 'watchdog' AND (reason = 'Timeout' OR NOT EXISTS (FROM fatal_exception) AND NOT EXISTS (FROM cuda_error) AND NOT EXISTS (FROM c10d_nccl_error) AND NOT EXISTS (FROM nccl_warning)
       AND NOT EXISTS (FROM nccl_ib_error) AND NOT EXISTS (FROM nccl_socket) AND NOT EXISTS (FROM c10d_event WHERE event = 'watchdog_ended' AND error NOT LIKE '%timeout%')))
HAVING count(*) > 0
UNION ALL BY NAME
-- All that is left is what the watchdog says at its end, after an error as after a timeout: a remark, no finding.
SELECT CASE WHEN count(DISTINCT coalesce(rank, group_rank)) = 1 THEN 'The watchdog of rank ' || any_value(coalesce(rank, group_rank)) WHEN count(coalesce(rank, group_rank)) > 0 THEN 'The watchdogs of ranks ' || ranges(list(DISTINCT coalesce(rank, group_rank))) ELSE 'A watchdog' END
    || ' took the process down because of a collective that failed or timed out; which one is not in this log.' AS summary,
  list(line_at(file_id, line_no) ORDER BY time NULLS LAST, file_id, line_no) AS evidence, min(time) AS "at", max(time) AS until, list_sort(list(DISTINCT coalesce(rank, group_rank)) FILTER (coalesce(rank, group_rank) IS NOT NULL)) AS ranks,
  list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, 'possible' AS confidence, 'info' AS severity
FROM c10d_event
WHERE event = 'operations_failed' AND NOT EXISTS (FROM c10d_timeout_line) AND NOT EXISTS (FROM c10d_heartbeat) AND NOT EXISTS (FROM c10d_status) AND NOT EXISTS (FROM fatal_exception) AND NOT EXISTS (FROM cuda_error)
  AND NOT EXISTS (FROM c10d_nccl_error) AND NOT EXISTS (FROM nccl_warning) AND NOT EXISTS (FROM nccl_ib_error) AND NOT EXISTS (FROM nccl_ofi_error) AND NOT EXISTS (FROM nccl_socket)
HAVING count(*) > 0
