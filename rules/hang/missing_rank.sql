/*
title = "A rank never reached the collective the others wait in"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["divergence.stack", "divergence.collective_count"]
about = """
Ranks wait in a collective, and one or a few are not there: they stand elsewhere in the code, do not answer, are stopped, or never logged
the sequence number the others wait for. The others only wait; the cause is with these.
"""
remedy = "Look at what the named rank did last: its own log, its stack (py-spy dump), its process state (ps -o stat,wchan), and dmesg of its host."
falsely = "A rank that is only slow looks the same in a single snapshot; logs of a rank may be missing although the rank was there."
references = ["https://docs.pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications"]
*/
SELECT
  CASE WHEN ranks IS NULL THEN 'Process ' || array_to_string(any_value(pids), ', ') ELSE CASE WHEN len(ranks) = 1 THEN 'Rank ' ELSE 'Ranks ' END || ranges(ranks) END
    || coalesce(' (' || nullif(array_to_string(any_value(hosts), ', '), '') || ')', '') || ' did not reach the collective: ' || string_agg(DISTINCT said, '; ') || '.' AS summary,
  flatten(list(evidence)) AS evidence,
  CASE WHEN bool_or(grade = 'definite') THEN 'definite' WHEN bool_or(grade = 'probable') THEN 'probable' ELSE 'possible' END AS confidence,
  ranks, any_value(hosts) AS hosts, any_value(pids) AS pids, any_value(grp) AS "group", any_value(seq) AS seq, any_value(op) AS op, any_value(side) AS side,
  any_value(place) AS "where", min(missing_rank_suspect."at") AS "at", list_sort(list(DISTINCT source)) AS sources
FROM missing_rank_suspect GROUP BY ranks, CASE WHEN ranks IS NULL THEN pids END
