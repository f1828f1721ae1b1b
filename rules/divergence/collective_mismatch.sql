/*
title      = "Ranks run different collectives under the same number"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["hang", "crash", "network.peer_lost", "divergence.stack", "divergence.collective_count"]
about      = """
All members of a group must issue the same collectives in the same order with fitting sizes and types. Here one number of one group stands for different operations, sizes or types: the program takes another way on some ranks. The minority is named; without a majority all are.
"""
remedy     = "Look at the place in the code where the ranks named part from the others: a condition on the rank, on the data or on an exception (a last batch, a log or checkpoint step of rank 0 only, a parameter without gradient)."
falsely    = "Operations that may differ by nature (all-to-all, scatter, gather, coalesced ones) are left out, so a real difference in them goes unseen."
references = ["https://pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications"]
*/
WITH graded AS (SELECT *, CASE source WHEN 'flight_recorder' THEN 1 WHEN 'fingerprint' THEN 2 WHEN 'nccl calls' THEN 3 WHEN 'watchdog' THEN 4 ELSE 5 END AS place FROM collective_mismatch_source),
-- Sources tell of one difference each in their own words; the first number of a group is the cause, later ones follow.
best AS (SELECT * FROM graded ORDER BY coalesce(grade, 'definite') = 'possible', place, seq NULLS LAST, time NULLS LAST LIMIT 1)
SELECT 'Ranks disagree' || coalesce(' on ' || field, '') || coalesce(' in collective ' || seq, '') || coalesce(' of group ' || grp, '') || ': ' || said || '.' AS summary,
  evidence || coalesce((SELECT flatten(list(g.evidence[:3])) FROM graded g WHERE g.source <> b.source), []) AS evidence,
  time AS "at", ranks, hosts, grp AS "group", seq, field, "values", ops, all_ranks, version AS fr_version,
  coalesce(b.grade, CASE WHEN b.source = 'gloo' THEN 'probable' ELSE 'definite' END) AS confidence
FROM best b
