-- One prefix tree over the main threads of the last dump of every rank, outermost call first, ranks folded. ORDER BY sort_key
-- prints it depth first with the smallest branches first: what stands apart is on top.
CREATE TABLE stack_tree AS
WITH stack AS (
  SELECT process, rank, pid, host, class, awaits, file_id, thread_line AS line_no, failure, decided.f AS call, own.f || ' (' || own.p || coalesce(':' || own.n, '') || ')' AS own_call,
    CASE WHEN failure IS NOT NULL THEN ['(no stack: ' || CASE failure WHEN 'stopped' THEN 'stopped' WHEN 'no_answer' THEN 'no answer' ELSE 'uninterruptible' END || ')'] ELSE path END AS calls
  FROM (FROM stack_rank UNION ALL BY NAME
        -- Where no process is a rank, all that were dumped.
        SELECT * FROM stack_main WHERE NOT EXISTS (FROM stack_rank) AND role NOT IN ('launcher', 'helper') AND path IS NOT NULL
        QUALIFY row_number() OVER (PARTITION BY process ORDER BY snapshot DESC) = 1)
), step AS (
  SELECT process, rank, pid, host, class, awaits, call, own_call, file_id, line_no, calls, unnest(range(1, len(calls) + 1)) AS depth FROM stack
), node AS (
  SELECT *, array_to_string(calls[1:depth], ' > ') AS path FROM step
), sized AS (
  SELECT path, count(DISTINCT process) AS processes FROM node GROUP BY path
), keyed AS (
  SELECT n.process, list(printf('%08d %s', s.processes, n.calls[n.depth]) ORDER BY n.depth) AS keys FROM node AS n JOIN sized AS s USING (path) GROUP BY n.process
)
SELECT n.depth, n.path, nullif(array_to_string(any_value(n.calls)[1:n.depth - 1], ' > '), '') AS parent,
  regexp_replace(any_value(n.calls[n.depth]), ' \([^()]*\)$', '') AS function,
  nullif(regexp_extract(any_value(n.calls[n.depth]), ' \(([^()]*)\)$', 1), '') AS source,
  list(DISTINCT n.rank ORDER BY n.rank) FILTER (n.rank IS NOT NULL) AS ranks, list(DISTINCT n.pid ORDER BY n.pid) FILTER (n.pid IS NOT NULL) AS pids,
  list(DISTINCT n.host ORDER BY n.host) FILTER (n.host IS NOT NULL) AS hosts,
  count(DISTINCT n.process) AS processes, count(*) FILTER (n.depth = len(n.calls)) AS ends_here,
  mode(n.class) FILTER (n.depth = len(n.calls)) AS class, mode(n.awaits) FILTER (n.depth = len(n.calls)) AS waits_for,
  mode(n.call) FILTER (n.depth = len(n.calls)) AS decided_by, mode(n.own_call) FILTER (n.depth = len(n.calls)) AS own_call,
  min(n.file_id) AS file_id, arg_min(n.line_no, n.file_id) AS line_no, any_value(k.keys)[1:n.depth] AS sort_key
FROM node AS n JOIN keyed AS k USING (process)
GROUP BY n.depth, n.path;
