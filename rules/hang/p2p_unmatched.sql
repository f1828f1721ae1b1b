/*
title      = "A send without its receive, or the reverse"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang.collective_timeout", "network.peer_lost", "crash", "divergence.stack", "divergence.collective_count"]
about      = """
One rank waits in a point-to-point operation, and the Flight Recorder of its peer holds no counterpart that is open: the peer does nothing, or stands in a collective that the first rank has not entered.
"""
remedy     = "Compare the order of sends and receives on the two ranks (a pipeline schedule, a condition on the micro-batch or stage): the peer went past the call, or never comes to it."
falsely    = "The peer is only late: its dump was taken before it came to the call."
references = ["https://pytorch.org/docs/stable/distributed.html#point-to-point-communication"]
*/
WITH turn AS (  -- which of the operations of its pair each one is; countable only where the record holds all of them
  SELECT o.file_id, o.record_id, o.rank, o.grp_key, o.src, o.dst, o.kind, row_number() OVER (PARTITION BY o.rank, o.grp_key, o.src, o.dst, o.kind ORDER BY o.record_id) AS nth
  FROM flight_operation o JOIN flight_rank r ON r.file_id = o.file_id AND r.first_record = 0 AND r.complete
  WHERE o.is_p2p AND o.src IS NOT NULL AND o.dst IS NOT NULL),
lone AS (
  SELECT w.*, o.src, o.dst, o.kind
  FROM rank_wait w JOIN flight_operation o ON o.file_id = w.file_id AND o.record_id = w.record_id
  WHERE w.by_pair
    AND NOT EXISTS (FROM rank_suspect)
    -- The peer has done its part already: the data are on their way, or were when the dump was taken.
    AND NOT EXISTS (FROM turn t JOIN turn p ON p.rank = w.culprit AND p.grp_key = t.grp_key AND p.src = t.src AND p.dst = t.dst AND p.nth = t.nth AND p.kind <> t.kind
                    WHERE t.file_id = w.file_id AND t.record_id = w.record_id)
    AND (NOT EXISTS (FROM rank_progress p WHERE p.source = w.source AND p.rank = w.culprit AND p.state = 'waiting')
        AND NOT EXISTS (FROM rank_wait x WHERE x.source = w.source AND x.waiter = w.culprit)
      OR EXISTS (FROM rank_wait x WHERE x.source = w.source AND x.waiter = w.culprit AND x.culprit = w.waiter AND NOT x.by_pair)))
SELECT 'Rank ' || waiter || ' waits in ' || any_value(kind) || ' ' || src || '->' || dst || ' (' || count(*) || ' open), and rank ' || culprit || ' has no ' || CASE WHEN any_value(kind) = 'send' THEN 'receive' ELSE 'send' END || ' for it.' AS summary,
  list({'file_id': file_id, 'line_no': line_no, 'text': 'rank ' || waiter || ', group ' || coalesce(grp, '?') || ': ' || kind || ' ' || src || '->' || dst || ' number ' || seq} ORDER BY record_id) AS evidence,
  list_sort([waiter, culprit]) AS ranks, src, dst, coalesce(nullif(any_value(grp_desc), ''), any_value(grp)) AS "group", min(seq) AS seq, any_value(kind) AS op
FROM lone GROUP BY waiter, culprit, src, dst
UNION ALL BY NAME
-- NCCL's own lines: one pair of a job that hung has called for more of one kind than of the other, and all other pairs agree.
SELECT 'Rank ' || CASE WHEN sends > recvs THEN src ELSE dst END || ' called ' || CASE WHEN sends > recvs THEN 'Send' ELSE 'Recv' END || ' ' || greatest(sends, recvs) || ' times and rank '
    || CASE WHEN sends > recvs THEN dst ELSE src END || ' called ' || CASE WHEN sends > recvs THEN 'Recv' ELSE 'Send' END || ' ' || least(sends, recvs) || ' times (' || src || '->' || dst || ' of the communicator).' AS summary,
  list_filter([last_send, last_recv], lambda x: x IS NOT NULL) AS evidence, list_sort([src, dst])::BIGINT[] AS ranks, src, dst, comm_key AS "group", least(sends, recvs) + 1 AS seq,
  CASE WHEN sends > recvs THEN 'send' ELSE 'recv' END AS op, 'possible' AS confidence, 'warning' AS severity
FROM (SELECT p.*, count_if(sends <> recvs) OVER () AS odd FROM nccl_pair_count p
      -- both ends must be heard of in the communicator's logs
      WHERE (SELECT count(*) FROM nccl_rank r WHERE r.comm_key = p.comm_key AND r.comm_rank IN (p.src, p.dst) AND r.starts + r.completes > 0) = 2)
WHERE sends <> recvs AND odd = 1 AND EXISTS (FROM trouble_sign WHERE sign IN ('timeout', 'heartbeat', 'abort')) AND NOT EXISTS (FROM missing_rank_suspect)
