-- Records broken by a terminal, a collector or a launcher, anywhere, also within a word: the pieces that follow their first line without a
-- gap, put together without blanks. Where two ranks' first lines follow each other, nobody can tell whose the pieces are.
CREATE VIEW c10d_joined AS
WITH told AS (
  -- What an exception says of a timeout may stand behind the end of a line that names the rank, or behind nothing at all.
  SELECT p.* REPLACE (coalesce(p.rank, e.rank) AS rank, CASE WHEN p.alone THEN coalesce(regexp_extract(e.error, '^\[Rank [0-9]+', 0) || ']', '') || ltrim(p.text, '] ') ELSE p.text END AS text, p.head OR p.alone AS head)
  FROM (SELECT *, NOT head AND regexp_matches(text, '^\]? *Watchdog caught collective operation timeout: WorkNCCL\(') AND NOT coalesce(lag(line_no) OVER (PARTITION BY file_id ORDER BY line_no) = line_no - 1, false) AS alone FROM c10d_piece) p
  LEFT JOIN c10d_event e ON p.alone AND e.event = 'watchdog_ended' AND e.file_id = p.file_id AND e.line_no = p.line_no - 1 AND regexp_matches(e.error, '^\[Rank [0-9]+\]?$')),
of_head AS (
  SELECT *, max(CASE WHEN head THEN line_no END) OVER (PARTITION BY file_id ORDER BY line_no) AS first_line FROM told
  WINDOW w AS (PARTITION BY file_id ORDER BY line_no)
  QUALIFY NOT (head AND coalesce(lag(head) OVER w AND lag(line_no) OVER w >= line_no - 1, false))),
unbroken AS (
  SELECT * FROM of_head WHERE first_line IS NOT NULL
  QUALIFY line_no - first_line = row_number() OVER (PARTITION BY file_id, first_line ORDER BY line_no) - 1)
SELECT file_id, first_line AS line_no, arg_min(host, line_no) AS host, arg_min(rank, line_no) AS rank, arg_min(local_rank, line_no) AS local_rank, arg_min(task, line_no) AS task,
  arg_min(pid, line_no) AS pid, arg_min(stream, line_no) AS stream, arg_min(time, line_no) AS time, arg_min(time_quality, line_no) AS time_quality,
  regexp_replace(string_agg(text, '' ORDER BY line_no), '\s+', '', 'g') AS text
FROM unbroken GROUP BY file_id, first_line;

-- A number is read where a character follows it: at the end of a piece its last digits may be missing.
CREATE VIEW c10d_timeout_joined AS
SELECT * EXCLUDE (text, said), TRY_CAST(said.group_rank AS BIGINT) AS group_rank, said.seq::BIGINT AS collective_seq, said.op AS op, TRY_CAST(said.numel_in AS BIGINT) AS numel_in, TRY_CAST(said.numel_out AS BIGINT) AS numel_out,
  TRY_CAST(said.timeout_ms AS BIGINT) AS timeout_ms, TRY_CAST(said.ran_ms AS BIGINT) AS ran_ms, 'watchdog' AS said_by
FROM (SELECT *, regexp_extract(text, '^(?:\[Rank([0-9]+)\])?Watchdogcaughtcollectiveoperationtimeout:WorkNCCL\(SeqNum=([0-9]+),OpType=([A-Za-z_0-9]+),(?:NumelIn=([0-9]+),NumelOut=([0-9]+),)?(?:Timeout\(ms\)=([0-9]+)\)(?:ranfor([0-9]+)m)?)?',
  ['group_rank', 'seq', 'op', 'numel_in', 'numel_out', 'timeout_ms', 'ran_ms']) AS said FROM c10d_joined)
WHERE said.seq <> '';

-- The last number may lack digits: one that lost some is smaller than the number before it by nine at least.
CREATE VIEW c10d_status_joined AS
SELECT * EXCLUDE (text, said), nullif(said.pg_id, '') AS pg_id, said.grp AS grp, nullif(said.grp_desc, '') AS grp_desc, said.group_rank::BIGINT AS group_rank,
  said.seq::BIGINT AS failed_seq, said.last_enqueued::BIGINT AS last_enqueued,
  CASE WHEN said.seq::BIGINT - TRY_CAST(said.last_completed AS BIGINT) BETWEEN 1 AND 9 THEN said.last_completed::BIGINT END AS last_completed, 'watchdog' AS said_by
FROM (SELECT *, regexp_extract(text, '^\[(?:PGID([0-9]+))?PG(?:GUID)?([0-9A-Za-z_:./-]+?)(?:\(([^)]*)\))?Rank([0-9]+)\]failuredetectedbywatchdogatworksequenceid:([0-9]+)PGstatus:lastenqueuedwork:(-?[0-9]+),(?:lastcompletedwork:(-?[0-9]+))?',
  ['pg_id', 'grp', 'grp_desc', 'group_rank', 'seq', 'last_enqueued', 'last_completed']) AS said FROM c10d_joined)
WHERE said.seq <> '';

CREATE TABLE c10d_timeout_line AS
FROM c10d_timeout UNION ALL BY NAME FROM c10d_timeout_joined;

CREATE TABLE c10d_status_line AS
FROM c10d_status UNION ALL BY NAME FROM c10d_status_joined;

-- Where a terminal broke the heartbeat monitor's line, who it is stands in the line before.
CREATE VIEW c10d_heartbeat_line AS
SELECT h.* REPLACE (coalesce(h.rank, p.rank) AS rank, coalesce(h.group_rank, TRY_CAST(regexp_extract(p.text, 'Rank ([0-9]+)\]', 1) AS BIGINT)) AS group_rank,
  coalesce(h.grp_desc, nullif(regexp_extract(p.text, '\(([^()]*)\)', 1), '')) AS grp_desc)
FROM c10d_heartbeat h LEFT JOIN c10d_piece p ON h.group_rank IS NULL AND p.head AND p.file_id = h.file_id AND p.line_no = h.line_no - 1;

-- The group a watchdog's timeout belongs to stands in another line of the same rank: the status of the group whose work
-- of that number failed. Each (rank, group, sequence number) once, however often it was printed.
CREATE TABLE c10d_timeout_once AS
WITH of_status AS (
  SELECT DISTINCT ON (file_id, who, group_rank, failed_seq) file_id, coalesce(rank, group_rank) AS who, group_rank, failed_seq, grp, grp_desc, last_enqueued, last_completed
  FROM c10d_status_line WHERE said_by = 'watchdog' ORDER BY line_no),
-- A rank within a group is the global one only in the default group, or where nothing else is printed (up to torch 2.2).
-- Lines without any prefix (what(), exceptions) repeat what a line with one says.
own AS (
  SELECT t.*, coalesce(t.rank, CASE WHEN coalesce(t.grp_desc = 'default_pg', t.grp = '0') OR NOT EXISTS (FROM c10d_timeout_line p WHERE p.rank IS NOT NULL) THEN t.group_rank END) AS who
  FROM c10d_timeout_line t
  WHERE t.rank IS NOT NULL OR NOT EXISTS (
    FROM c10d_timeout_line p WHERE (p.rank IS NOT NULL AND p.group_rank IS NOT DISTINCT FROM t.group_rank OR t.group_rank IS NULL AND p.group_rank IS NOT NULL) AND p.collective_seq IS NOT DISTINCT FROM t.collective_seq AND p.op IS NOT DISTINCT FROM t.op)),
said AS (
  SELECT t.* EXCLUDE (grp, grp_desc), coalesce(t.grp, s.grp) AS grp, coalesce(t.grp_desc, s.grp_desc) AS grp_desc,
    s.last_enqueued, s.last_completed
  FROM own t
  LEFT JOIN of_status s ON s.file_id = t.file_id AND s.who IS NOT DISTINCT FROM coalesce(t.rank, t.group_rank)
    AND s.group_rank IS NOT DISTINCT FROM t.group_rank AND s.failed_seq = t.collective_seq)
SELECT who AS rank, any_value(group_rank) AS group_rank, any_value(grp) AS grp, any_value(grp_desc) AS grp_desc, collective_seq, said_by,
  arg_min(op, line_no) AS op, max(timeout_ms) AS timeout_ms, min(ran_ms) AS ran_ms, any_value(numel_in) AS numel_in, any_value(numel_out) AS numel_out,
  any_value(last_enqueued) AS last_enqueued, any_value(last_completed) AS last_completed, any_value(host) AS host, any_value(local_rank) AS local_rank,
  min(time) AS time, arg_min(file_id, coalesce(time, TIMESTAMP '2999-01-01')) AS file_id, arg_min(line_no, coalesce(time, TIMESTAMP '2999-01-01')) AS line_no
FROM said
GROUP BY who, CASE WHEN who IS NULL THEN file_id END, collective_seq, op, numel_in, numel_out, said_by;

-- How far each rank's groups have come, by the last status line of each. A count torch left uninitialised (2.3) is none.
CREATE VIEW progress_c10d AS
SELECT 'watchdog' AS source, coalesce(rank, group_rank) AS rank, any_value(host) AS host,
  CASE WHEN coalesce(grp_desc, '') = 'default_pg' OR (grp_desc IS NULL AND grp = '0') THEN 'default_pg' ELSE concat_ws(' ', grp, nullif(grp_desc, '')) END AS grp_key,
  any_value(grp) AS grp, any_value(grp_desc) AS grp_desc,
  max(last_enqueued) FILTER (last_enqueued < 1000000000000) AS enqueued,
  max(last_completed) FILTER (last_completed < coalesce(failed_seq, last_enqueued + 1)) AS completed,
  coalesce(min(failed_seq), max(last_completed + 1) FILTER (last_completed < last_enqueued)) AS waits_for,
  min(time) AS time, arg_min(file_id, line_no) AS file_id, min(line_no) AS line_no
FROM c10d_status_line
WHERE coalesce(rank, group_rank) IS NOT NULL
GROUP BY ALL;

-- A store or rendezvous that could not be reached: one row per process that gave up.
CREATE VIEW connect_failure_c10d AS
SELECT 'c10d' AS source, regexp_replace(s.peer, '^\[|\]$', '', 'g') AS peer, s.port, coalesce(max(a.error), max(s.error) FILTER (s.event <> 'gave_up'), 'timed out') AS error,
  greatest(count(DISTINCT a.line_no), max(coalesce(s.attempts, 0)), 1) AS attempts,
  max(coalesce(s.timeout_ms, s.timeout_seconds * 1000)) AS timeout_ms,
  any_value(s.host) AS host, any_value(s.rank) AS rank, any_value(s.pid) AS pid, NULL::BIGINT AS gpu_index,
  min(s.time) AS time, s.file_id, min(s.line_no) AS line_no
FROM c10d_store s
LEFT JOIN c10d_store a ON a.event = 'attempt' AND a.file_id = s.file_id AND a.port = s.port AND a.stream = s.stream
WHERE (s.peer IS NOT NULL OR s.event = 'gave_up')
  -- `no_address` is the end of one round only: in newer versions the store tries again.
  AND (s.event = 'gave_up' OR (s.event = 'no_address' AND NOT EXISTS (
    FROM c10d_store r WHERE r.event = 'retry' AND r.file_id = s.file_id AND r.port = s.port)))
GROUP BY s.file_id, s.stream, s.peer, s.port;

-- Ranks that wait for others before the first collective.
CREATE VIEW init_wait_c10d AS
SELECT list_distinct(list(coalesce(rank, group_rank)) FILTER (coalesce(rank, group_rank) IS NOT NULL)) AS ranks, max(expected) AS nranks,
  CASE event WHEN 'clients_missing' THEN 'store' WHEN 'waiting' THEN 'store' WHEN 'key_wait' THEN 'store' WHEN 'unique_id' THEN 'unique_id' WHEN 'full_mesh_failed' THEN 'gloo_connect' ELSE 'rendezvous' END AS stage,
  any_value(host) AS host, min(time) AS time, arg_min(file_id, line_no) AS file_id, min(line_no) AS line_no, max(joined) AS joined,
  max(coalesce(timeout_ms, timeout_seconds * 1000)) AS timeout_ms, any_value(store_key) AS store_key, min(awaited) AS awaited, mode(trim(error)) FILTER (event = 'unique_id') AS error
FROM c10d_store
WHERE event IN ('clients_missing', 'key_wait', 'unique_id', 'full_mesh_failed')
   OR (event = 'rendezvous' AND error = 'RendezvousTimeoutError')
   -- more than there are: the barrier counts up to the size of the group, and beyond it for ever
   OR (event = 'waiting' AND joined > expected)
GROUP BY event, file_id;

-- gloo's first meeting: every rank leaves its address in the store, and the others wait for the one that is not there. Groups other than
-- the default one count their own ranks.
CREATE VIEW gloo_rank_awaited AS
SELECT rank_awaited, list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:5] AS evidence, any_value(file_id) AS file_id, min(line_no) AS line_no
FROM (SELECT *, TRY_CAST(regexp_extract(store_key, '^/?default_pg/[0-9]+//[a-z]+//[0-9]+/(?:rank_)?([0-9]+)[.,]?$', 1) AS BIGINT) AS rank_awaited FROM c10d_store WHERE event = 'key_wait')
WHERE rank_awaited IS NOT NULL AND rank IS DISTINCT FROM rank_awaited GROUP BY rank_awaited;
