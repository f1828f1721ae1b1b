/*
title      = "Ranks entered collectives of different groups in different order"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang.collective_timeout", "network.peer_lost", "crash", "divergence.stack", "divergence.collective_count"]
about      = """
A circle: one rank waits in a collective of one group for a rank that waits in a collective of another group for the first. Nobody can go on, and nobody is late: the order of the calls is the fault.
"""
remedy     = "Make every rank issue the collectives of these groups in the same order, or on streams and communicators that do not block each other; look at the places named."
falsely    = "Collectives of different groups on different streams may overlap without harm; the circle then comes from something else that stopped both."
references = ["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/communicators.html"]
*/
WITH RECURSIVE head AS (  -- where a rank stands; what it has enqueued behind that waits for nobody yet
  SELECT * FROM rank_wait w WHERE NOT by_pair
    AND NOT EXISTS (FROM flight_operation o WHERE w.source = 'flight_recorder' AND o.rank = w.waiter AND o.is_p2p AND o.pending AND o.record_id < w.record_id)
  QUALIFY record_id IS NOT DISTINCT FROM min(record_id) OVER (PARTITION BY source, waiter)),
edge AS (
  SELECT h.* FROM head h WHERE EXISTS (FROM head x WHERE x.source = h.source AND x.waiter = h.culprit) AND EXISTS (FROM head x WHERE x.source = h.source AND x.culprit = h.waiter)),
reach(source, start, rank) AS (
  SELECT DISTINCT source, waiter, culprit FROM edge
  UNION
  SELECT r.source, r.start, e.culprit FROM reach r JOIN edge e ON e.source = r.source AND e.waiter = r.rank),
circle AS (  -- ranks that reach each other; the lowest of them names the circle
  SELECT a.source, a.start AS rank, min(b.start) AS circle FROM reach a JOIN reach b ON b.source = a.source AND b.start = a.rank AND b.rank = a.start GROUP BY ALL),
wait AS (  -- who waits for whom, per group of the circle
  SELECT e.source, a.circle, e.grp_key, coalesce(nullif(any_value(e.grp_desc), ''), any_value(e.grp), '?') AS grp, list_sort(list(DISTINCT e.waiter)) AS waiters, list_sort(list(DISTINCT e.culprit)) AS others,
    min(e.seq) AS seq, any_value(e.op) AS op,
    list(DISTINCT {'file_id': e.file_id, 'line_no': e.line_no, 'text': CASE WHEN e.source = 'flight_recorder' THEN 'rank ' || e.waiter || ' waits in group ' || coalesce(e.grp, '?') || ', number ' || e.seq END}) AS evidence
  FROM edge e JOIN circle a ON a.source = e.source AND a.rank = e.waiter JOIN circle b ON b.source = e.source AND b.rank = e.culprit AND b.circle = a.circle
  GROUP BY e.source, a.circle, e.grp_key)
SELECT 'Ranks wait in a circle: ' || string_agg(CASE WHEN len(waiters) = 1 THEN 'rank ' ELSE 'ranks ' END || ranges(waiters) || ' in ' || coalesce(op || ' ', '') || 'number ' || seq || ' of group ' || grp
    || ' for ' || CASE WHEN len(others) = 1 THEN 'rank ' ELSE 'ranks ' END || ranges(others), '; ' ORDER BY waiters)[:600] || '.' AS summary,
  flatten(list(evidence ORDER BY waiters)) AS evidence,
  (SELECT min(p.time) FROM rank_progress p WHERE p.state = 'waiting') AS "at",
  list_sort(list_distinct(flatten(list(waiters)))) AS ranks, list(grp ORDER BY waiters) AS groups
FROM wait GROUP BY source, circle HAVING count(*) > 1
