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
WITH edge AS (SELECT * FROM rank_wait WHERE NOT by_pair),
circle AS (
  SELECT a.source, a.waiter AS one, a.culprit AS other, a.grp_key AS key_one, b.grp_key AS key_other, a.grp AS grp_one, b.grp AS grp_other, a.grp_desc AS desc_one, b.grp_desc AS desc_other,
    a.seq AS seq_one, b.seq AS seq_other, a.op AS op_one, b.op AS op_other, a.file_id AS file_one, a.line_no AS line_one, b.file_id AS file_other, b.line_no AS line_other
  FROM edge a JOIN edge b ON b.source = a.source AND b.waiter = a.culprit AND b.culprit = a.waiter AND b.grp_key > a.grp_key)
SELECT 'Ranks ' || ranges(list(DISTINCT one)) || ' wait in ' || coalesce(any_value(op_one) || ' ', '') || 'number ' || min(seq_one) || ' of group ' || coalesce(nullif(any_value(desc_one), ''), any_value(grp_one), '?')
    || ' for ranks ' || ranges(list(DISTINCT other)) || ', which wait in ' || coalesce(any_value(op_other) || ' ', '') || 'number ' || min(seq_other) || ' of group '
    || coalesce(nullif(any_value(desc_other), ''), any_value(grp_other), '?') || ' for them.' AS summary,
  list_distinct(list({'file_id': file_one, 'line_no': line_one, 'text': CASE WHEN source = 'flight_recorder' THEN 'rank ' || one || ' waits in group ' || coalesce(grp_one, '?') || ', number ' || seq_one END})
    || list({'file_id': file_other, 'line_no': line_other, 'text': CASE WHEN source = 'flight_recorder' THEN 'rank ' || other || ' waits in group ' || coalesce(grp_other, '?') || ', number ' || seq_other END})) AS evidence,
  (SELECT min(p.time) FROM rank_progress p WHERE p.state = 'waiting') AS "at",
  list_sort(list_distinct(list(one) || list(other))) AS ranks,
  [coalesce(nullif(any_value(desc_one), ''), any_value(grp_one)), coalesce(nullif(any_value(desc_other), ''), any_value(grp_other))] AS groups
FROM circle GROUP BY source, key_one, key_other
