-- How far each rank has come in each group, by the Flight Recorder's dumps and by the watchdogs' status lines.
-- `waits_for` is the sequence number of the first operation it has enqueued that has not completed.
CREATE TABLE rank_progress AS
SELECT 'flight_recorder' AS source, rank, host, grp_key, grp, grp_desc, enqueued, completed, waits_for, op, gloo, point_to_point AND pending_collectives = 0 AS point_to_point,
  first_collective_record AS record_id, timeout_ms, last_place AS place, time, file_id, line_no, CASE WHEN waits_for IS NULL THEN 'idle' ELSE 'waiting' END AS state
FROM (
  SELECT *,
    -- gloo does not say what is open: there the last operation of a rank is, if another member has not come to it.
    CASE WHEN gloo THEN CASE WHEN min(enqueued) OVER (PARTITION BY grp_key) < enqueued THEN enqueued END
         WHEN pending_collectives > 0 THEN first_pending
         WHEN NOT point_to_point AND enqueued > completed THEN greatest(completed, 0) + 1 END AS waits_for
  FROM flight_progress)
UNION ALL BY NAME
SELECT source, rank, host, grp_key, grp, grp_desc, enqueued, completed, waits_for, false AS gloo, false AS point_to_point, time, file_id, line_no,
  CASE WHEN waits_for IS NULL THEN 'idle' ELSE 'waiting' END AS state
FROM progress_c10d;

-- Groups where ranks ran different operations under one number: nobody is late there, they disagree.
CREATE TABLE collective_disagreement AS
WITH op AS (
  SELECT rank, host, grp_key, grp, grp_desc, collective_seq AS seq, kind, upper(kind) AS op, input_numel, input_dtypes, input_sizes, file_id, line_no, time, place,
    count(*) OVER (PARTITION BY rank, grp_key, collective_seq) AS times
  FROM flight_operation WHERE NOT is_p2p AND collective_seq IS NOT NULL AND kind NOT LIKE '%coalesced%'),
single AS (SELECT * FROM op WHERE times = 1),
-- Sizes must agree only where every rank gives as much as the others do.
compared AS (
  SELECT *, CASE WHEN regexp_matches(kind, '^(all_?reduce|all_?gather_?base|_?allgather_base|all_gather|broadcast|reduce|reduce_scatter|reduce_?scatter_?base)$') THEN input_numel END AS size
  FROM single),
odd AS (
  SELECT grp_key, seq, count(DISTINCT kind) > 1 AS by_op, count(DISTINCT kind) = 1 AND count(DISTINCT input_dtypes) > 1 AS by_dtype,
    count(DISTINCT kind) = 1 AND count(DISTINCT size) > 1 AS by_size
  FROM compared GROUP BY grp_key, seq
  HAVING by_op OR by_dtype OR by_size),
first_odd AS (SELECT grp_key, min(seq) AS seq FROM odd GROUP BY grp_key)
SELECT c.*, CASE WHEN o.by_op THEN 'op' WHEN o.by_size THEN 'size' ELSE 'dtype' END AS field,
  CASE WHEN o.by_op THEN c.kind WHEN o.by_size THEN c.size::VARCHAR ELSE c.input_dtypes END AS value
FROM compared c JOIN first_odd USING (grp_key, seq) JOIN odd o USING (grp_key, seq);

-- Who waits for whom. An edge stands only where the other one is known not to have enqueued what is waited for.
CREATE TABLE rank_wait AS
WITH blocked AS (
  SELECT * FROM rank_progress p WHERE waits_for IS NOT NULL AND NOT point_to_point
    AND NOT EXISTS (FROM collective_disagreement d WHERE p.source = 'flight_recorder' AND d.grp_key = p.grp_key AND d.seq <= p.waits_for)),
by_count AS (
  SELECT b.source, b.rank AS waiter, o.rank AS culprit, b.grp_key, b.grp, b.grp_desc, b.waits_for AS seq, b.op, b.record_id, b.file_id, b.line_no
  FROM blocked b JOIN rank_progress o ON o.source = b.source AND o.grp_key = b.grp_key AND o.rank <> b.rank AND o.enqueued < b.waits_for),
-- A member whose dump knows all its groups, and this one not: it has not entered the group at all.
outside AS (
  SELECT m.* FROM (SELECT grp_key, unnest(members) AS rank FROM flight_members) m
  ANTI JOIN (SELECT * FROM rank_progress WHERE source = 'flight_recorder' AND enqueued IS NOT NULL) p ON p.grp_key = m.grp_key AND p.rank = m.rank),
never AS (
  SELECT b.source, b.rank AS waiter, m.rank AS culprit, b.grp_key, b.grp, b.grp_desc, b.waits_for AS seq, b.op, b.record_id, b.file_id, b.line_no
  FROM blocked b
  JOIN outside m ON m.grp_key = b.grp_key AND m.rank <> b.rank
  JOIN flight_rank r ON r.rank = m.rank AND r.complete
  WHERE b.source = 'flight_recorder' AND r.entries > 0 AND r.first_record = 0
    AND NOT EXISTS (FROM flight_status s WHERE s.file_id = r.file_id AND s.grp IS NULL)),
peer AS (
  SELECT o.*, CASE WHEN o.rank = o.src THEN o.dst ELSE o.src END AS other
  FROM flight_operation o WHERE o.is_p2p AND o.pending AND NOT o.is_gloo),
by_pair AS (
  SELECT 'flight_recorder' AS source, p.rank AS waiter, p.other AS culprit, p.grp_key, p.grp, p.grp_desc, p.p2p_seq AS seq, p.kind AS op, p.record_id, p.file_id, p.line_no
  FROM peer p JOIN flight_rank r ON r.rank = p.other
  WHERE NOT EXISTS (FROM peer q WHERE q.rank = p.other AND q.other = p.rank AND q.grp_key = p.grp_key))
SELECT *, false AS by_pair FROM by_count UNION ALL BY NAME SELECT *, false AS by_pair FROM never
UNION ALL BY NAME SELECT *, true AS by_pair FROM by_pair;

-- The ranks that others wait for and that wait for nobody: where a chain of waiting ends.
-- device: it enqueued what others have completed, and has not completed it; host: it has not even enqueued it.
CREATE TABLE rank_suspect AS
WITH most AS (SELECT source, grp_key, max(completed) AS completed FROM rank_progress GROUP BY ALL),
waiter AS (SELECT DISTINCT source, waiter AS rank FROM rank_wait),
host_side AS (
  SELECT w.source, w.culprit AS rank, arg_min(w.grp_key, (w.record_id, w.grp_key)) AS grp_key, arg_min(w.seq, (w.record_id, w.grp_key)) AS seq, arg_min(w.op, (w.record_id, w.grp_key)) AS op,
    count(DISTINCT w.waiter) AS waiters, list(line_at(w.file_id, w.line_no))[:3] AS waiting_lines
  FROM rank_wait w ANTI JOIN waiter ON waiter.source = w.source AND waiter.rank = w.culprit
  WHERE NOT w.by_pair
    -- Whose own work is open waits too, and may be a victim: of a member nobody has seen, of a pipeline's other stage.
    AND NOT EXISTS (FROM rank_progress p WHERE w.source = 'flight_recorder' AND p.source = w.source AND p.rank = w.culprit AND p.waits_for IS NOT NULL)
    AND NOT EXISTS (FROM flight_operation o WHERE w.source = 'flight_recorder' AND o.rank = w.culprit AND o.pending AND NOT o.is_gloo)
    -- Status lines do not tell the members of a group: who waits in another group may be a victim there.
    AND NOT EXISTS (FROM rank_progress p WHERE w.source = 'watchdog' AND p.source = w.source AND p.rank = w.culprit AND p.grp_key <> w.grp_key AND p.waits_for IS NOT NULL)
  GROUP BY ALL),
device_side AS (
  SELECT p.source, p.rank, min(p.grp_key) AS grp_key, arg_min(p.waits_for, p.grp_key) AS seq, arg_min(p.op, p.grp_key) AS op, 0 AS waiters,
    [] AS waiting_lines
  FROM rank_progress p JOIN most USING (source, grp_key)
  WHERE p.source = 'flight_recorder' AND NOT p.gloo AND NOT p.point_to_point AND p.completed < most.completed AND p.waits_for IS NOT NULL
    AND NOT EXISTS (FROM rank_wait w WHERE w.source = p.source AND w.waiter = p.rank AND w.grp_key = p.grp_key)
    AND NOT EXISTS (FROM collective_disagreement d WHERE d.grp_key = p.grp_key)
  GROUP BY p.source, p.rank),
united AS (
  SELECT * FROM device_side
  UNION ALL BY NAME SELECT h.* FROM host_side h ANTI JOIN device_side d ON d.source = h.source AND d.rank = h.rank
  -- With a device that stands, who has a send or a receive open waits for it.
  WHERE NOT (EXISTS (FROM device_side d WHERE d.source = h.source) AND EXISTS (FROM flight_operation o WHERE o.rank = h.rank AND o.is_p2p AND o.pending))),
absent AS (SELECT DISTINCT rank FROM (SELECT unnest(members) AS rank FROM flight_members) ANTI JOIN flight_rank USING (rank)),
-- All have joined what is waited for, a few have enqueued less after it: their program stands, or their device does.
behind AS (
  SELECT p.source, p.rank, min(p.grp_key) AS grp_key, arg_min(p.waits_for, p.grp_key) AS seq, arg_min(p.op, p.grp_key) AS op, any_value(g.others) AS waiters, [] AS waiting_lines
  FROM rank_progress p
  JOIN (SELECT source, grp_key, max(enqueued) AS enqueued, count(*) AS members, count(*) FILTER (waits_for IS NOT NULL) AS others, min(waits_for) = max(waits_for) AS same
        FROM rank_progress WHERE NOT gloo AND NOT point_to_point GROUP BY ALL) g ON g.source = p.source AND g.grp_key = p.grp_key
  WHERE p.source = 'flight_recorder' AND g.same AND g.members > 3 AND p.enqueued < g.enqueued
    AND 4 * (SELECT count(*) FROM rank_progress q WHERE q.source = p.source AND q.grp_key = p.grp_key AND q.enqueued < g.enqueued) <= g.members
    AND NOT EXISTS (FROM united u WHERE u.source = p.source) AND NOT EXISTS (FROM rank_wait w WHERE w.source = p.source) AND NOT EXISTS (FROM absent)
  GROUP BY p.source, p.rank),
-- A device that stands where its peers' stand, and a program that has not gone on as all of theirs have: a second one that stands, hidden
-- behind the first. It counts only where the programs of all others have gone on alike.
place AS (
  SELECT p.rank, any_value(o.head) AS head, sum(p.completed) AS completed
  FROM rank_progress p JOIN (
    SELECT rank, arg_min(kind || ' ' || coalesce(grp_desc, ''), record_id) AS head FROM flight_operation WHERE pending AND NOT is_gloo GROUP BY rank) o ON o.rank = p.rank
  WHERE p.source = 'flight_recorder' AND NOT p.gloo GROUP BY p.rank),
in_step AS (
  SELECT p.*, w.head, w.completed AS steps, mode(p.enqueued) OVER g AS usual, max(p.enqueued) OVER g AS furthest, count(*) OVER g AS members,
    mode(w.head) OVER g AS usual_head, mode(w.completed) OVER g AS usual_steps
  FROM rank_progress p JOIN place w ON w.rank = p.rank WHERE p.source = 'flight_recorder' AND NOT p.gloo AND NOT p.point_to_point WINDOW g AS (PARTITION BY p.grp_key)),
late AS (
  SELECT *, enqueued < usual AS late, usual = furthest AND members > 3 AND head = usual_head AND steps = usual_steps AND 4 * count_if(enqueued < usual) OVER (PARTITION BY grp_key) <= members AS odd
  FROM in_step WHERE NOT EXISTS (FROM device_side) AND NOT EXISTS (FROM absent)),
lagging AS (
  SELECT source, rank, min(grp_key) AS grp_key, arg_min(enqueued, grp_key) + 1 AS seq, NULL::VARCHAR AS op, any_value(members) AS waiters, [] AS waiting_lines
  FROM late WHERE late AND odd AND NOT EXISTS (FROM united u WHERE u.rank = late.rank)
    AND NOT EXISTS (FROM rank_wait w JOIN united u ON u.rank = w.culprit WHERE w.source = late.source AND w.waiter = late.rank)  -- its own victim
  GROUP BY source, rank),
hidden AS (
  FROM lagging WHERE NOT EXISTS (
    FROM late JOIN (SELECT grp_key, max(enqueued) AS furthest FROM rank_progress WHERE source = 'flight_recorder' GROUP BY grp_key) g USING (grp_key)
    WHERE late.enqueued < g.furthest AND late.rank NOT IN (SELECT rank FROM united) AND late.rank NOT IN (SELECT rank FROM lagging))),
-- The watchdogs of one group gave up at different numbers: a few ranks stand in an earlier one than the rest.
earlier AS (
  SELECT p.source, p.rank, p.grp_key, p.waits_for AS seq, p.op, 0 AS waiters, [] AS waiting_lines
  FROM rank_progress p
  JOIN (SELECT source, grp_key, max(waits_for) AS last, count(*) AS members, count(DISTINCT waits_for) AS numbers FROM rank_progress
        WHERE source = 'watchdog' AND waits_for IS NOT NULL GROUP BY ALL) g ON g.source = p.source AND g.grp_key = p.grp_key
  WHERE p.waits_for < g.last AND g.numbers = 2 AND g.members > 3
    AND 4 * (SELECT count(*) FROM rank_progress q WHERE q.source = p.source AND q.grp_key = p.grp_key AND q.waits_for < g.last) <= g.members
    AND NOT EXISTS (FROM united u WHERE u.source = p.source))
SELECT u.*, p.host, p.grp, p.grp_desc, p.enqueued, p.completed, most.completed AS group_completed, p.file_id, p.line_no, p.time, p.place AS last_place,
  CASE WHEN p.completed < most.completed THEN 'device' ELSE 'host' END AS side, u.clear
FROM (SELECT *, true AS clear FROM united UNION ALL BY NAME SELECT *, false AS clear FROM behind UNION ALL BY NAME (SELECT *, false AS clear FROM hidden ANTI JOIN behind USING (source, rank)) UNION ALL BY NAME SELECT *, false AS clear FROM earlier) u
LEFT JOIN rank_progress p ON p.source = u.source AND p.rank = u.rank AND p.grp_key = u.grp_key
LEFT JOIN most ON most.source = u.source AND most.grp_key = u.grp_key;
