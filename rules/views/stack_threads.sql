-- Every thread of every dump with its process: what it stands at and what it waits for.
CREATE TABLE stack_thread_place AS
SELECT d.dump, m.process, m.rank, m.host, m.pid, m.role, m.snapshot, m.snapshots, p.file_id, p.line_no, p.tid, p.name, p.status, p.line_no = d.thread_line AS is_main,
  p.class, p.awaits, p.decided, p.top, p.own, p.own_path, p.innermost, p.frames,
  p.class = 'helper' OR (p.line_no <> d.thread_line AND (p.own IS NULL OR p.class = 'idle-service')) AS is_helper,
  -- It stands in the acquisition of a lock: shown by a native frame, or by a lock that is written in Python.
  p.own IS NOT NULL AND coalesce(p.status, '') NOT LIKE 'active%' AND coalesce(p.top.f, '') NOT IN ('join', '_wait_for_tstate_lock') AND p.class <> 'helper'
    AND (p.holds_out_for_lock OR (p.class = 'lock-wait' AND p.decided.f IN ('acquire', '_acquire', '__enter__', 'rlock_acquire', 'lock_PyThread_acquire_lock'))) AS wants_lock
FROM stack_position AS p
JOIN stack_dump AS d ON d.file_id = p.file_id AND d.stream = p.stream AND d.unit_head IS NOT DISTINCT FROM p.unit_head AND d.nth = p.nth AND d.failure IS NULL
JOIN stack_main AS m ON m.dump = d.dump;

-- What every thread of the last dump of every process waits for, in words; threads that work and helpers are left out.
CREATE VIEW waiting_for AS
SELECT process, rank, host, pid, tid, name, is_main, class,
  CASE WHEN class = 'blocked' THEN 'a call of ' || coalesce(own.f, top.f, innermost) || ' that does not return' ELSE coalesce(awaits, class) END AS waits_for,
  decided.f AS function, own.f || ' (' || own.p || coalesce(':' || own.n, '') || ')' AS own_frame, file_id, line_no
FROM stack_thread_place
WHERE snapshot = snapshots AND class NOT IN ('compute', 'helper', 'idle-service', 'launcher', 'pool-worker', 'none') AND NOT (is_helper AND NOT is_main);

-- Processes whose threads wait for each other: at least two of them want a lock and none that could release it does anything
-- else; a single thread that wants a lock nobody is left to release; or a sleeping thread that owns the GIL others need.
CREATE TABLE stack_deadlock AS
WITH
-- A native dump may have been followed by a plain one of the same state: the last that shows locks counts.
shown AS (
  SELECT t.*, max(snapshot) FILTER (wants_lock) OVER (PARTITION BY process) AS lock_snapshot, max(snapshot) FILTER (status = 'idle+gil' AND NOT is_main) OVER (PARTITION BY process) AS gil_snapshot
  FROM stack_thread_place AS t WHERE role = 'rank'
), moved AS (SELECT process, bool_or(moved) AS moved FROM stack_rank GROUP BY process),
locked AS (
  SELECT process, any_value(rank) AS rank, any_value(host) AS host, any_value(pid) AS pid, 'lock' AS kind,
    list({'tid': tid, 'name': coalesce(name, tid), 'place': own.f || ' (' || own.p || coalesce(':' || own.n, '') || ')', 'function': own.f} ORDER BY is_main DESC, line_no) FILTER (wants_lock) AS threads,
    list(line_at(file_id, own.line) ORDER BY is_main DESC, line_no) FILTER (wants_lock) AS evidence
  FROM shown WHERE snapshot = lock_snapshot AND NOT (is_helper AND NOT wants_lock) GROUP BY process
  HAVING count(*) FILTER (wants_lock) >= 1
    AND count(*) FILTER (NOT wants_lock AND NOT (is_main AND class IN ('wait', 'lock-wait', 'exiting'))) = 0
    AND (count(*) FILTER (wants_lock) >= 2 OR (count(*) = 1 AND bool_or(is_main)))
), gil AS (
  SELECT process, any_value(rank) AS rank, any_value(host) AS host, any_value(pid) AS pid, 'GIL' AS kind,
    list({'tid': tid, 'name': coalesce(name, tid), 'place': coalesce(own.f || ' (' || own.p || coalesce(':' || own.n, '') || ')', top.f || ' (' || top.p || ')'), 'function': coalesce(own.f, top.f)}
      ORDER BY status = 'idle+gil' DESC, is_main DESC, line_no) FILTER (status = 'idle+gil' OR is_main) AS threads,
    list(line_at(file_id, coalesce(own.line, top.line, line_no)) ORDER BY status = 'idle+gil' DESC, is_main DESC) FILTER (status = 'idle+gil' OR is_main) AS evidence
  FROM shown WHERE snapshot = gil_snapshot AND NOT (is_helper AND status <> 'idle+gil') GROUP BY process
  HAVING count(*) >= 2 AND bool_or(is_main)
)
SELECT l.* FROM (FROM locked UNION ALL FROM gil) AS l LEFT JOIN moved AS m USING (process)
WHERE NOT coalesce(m.moved, false) AND (l.kind = 'lock' OR EXISTS (FROM stack_verdict AS v WHERE list_contains(v.ranks, l.rank) OR list_contains(v.pids, l.pid))
  OR EXISTS (FROM stack_main AS s WHERE s.process = l.process AND s.snapshots > 1));

-- Workers of a pool, each alone in its process with a lock that it wants: nobody is left who could release it.
CREATE TABLE stack_pool_lock AS
WITH pool AS (
  SELECT *, coalesce(own.f || ' (' || own.p || coalesce(':' || own.n, '') || ')', decided.f) AS stands_in,
    lag(own_key) OVER w <> own_key AS moved, row_number() OVER (PARTITION BY process ORDER BY snapshot DESC) AS back
  FROM stack_main WHERE role = 'pool worker' AND failure IS NULL WINDOW w AS (PARTITION BY process ORDER BY snapshot)
)
SELECT stands_in, any_value(own.f) AS function, list(pid ORDER BY pid) FILTER (pid IS NOT NULL) AS pids, count(*) AS n,
  list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, list(line_at(file_id, coalesce(own.line, thread_line)) ORDER BY file_id, thread_line) AS evidence, max(snapshots) AS snapshots
FROM pool
WHERE back = 1 AND worker_wants_lock AND NOT coalesce(moved, false)
  AND NOT EXISTS (FROM stack_thread_place AS t WHERE t.dump = pool.dump AND NOT t.is_main AND t.own IS NOT NULL AND t.class <> 'helper')
GROUP BY stands_in;
