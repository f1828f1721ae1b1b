/*
title      = "A rank is missing in the collective the others wait in"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang.collective_timeout", "hang.init_incomplete", "hang.checkpoint", "hang.log_silence", "network.peer_lost", "network.connect_failure", "divergence.collective_count", "divergence.stack", "loss.rollback"]
explains_elsewhere = ["crash"]
about      = """
Collectives end when every member has joined. Here the rank(s) named have not joined, or lag behind, what the others wait in. Sources are the Flight Recorder (presence and counters per group), watchdog status lines, monitored_barrier, the desync report, Horovod's stall inspector, torch's analyser of dumps, counts of NCCL calls, stacks, system calls; those that agree make one incident with a higher grade, those that disagree, on the ranks or on the side, lower it and are both shown. A rank that waits itself for another one is never named. side = host: its program did not get there; side = device: it enqueued the work and its device did not finish what the others finished.
"""
remedy     = "Look at these ranks, not at those that timed out: stack (py-spy dump), kernel log and GPU state of their host, and the last lines of their own log."
falsely    = "Where dumps were taken of a job that still ran, a rank may be a step behind by chance. A rank whose dump or log alone is absent may be healthy, its dump only lost (grade possible): where others are proved to be missing, it is told beside them and not named."
references = ["https://pytorch.org/tutorials/unstable/flight_recorder_tutorial.html"]
*/
WITH graded AS (
  SELECT *, CASE grade WHEN 'definite' THEN 3 WHEN 'probable' THEN 2 ELSE 1 END AS score FROM missing_rank_suspect WHERE len(ranks) > 0),
best AS (SELECT * FROM graded ORDER BY score DESC, len(ranks) DESC, source LIMIT 1),
-- Sources that name part of the same ranks agree: some name the first one they find only.
judged AS (
  SELECT g.*, list_has_all(b.ranks, g.ranks) OR list_has_all(g.ranks, b.ranks) AS agrees, b.ranks AS best_ranks, b.score AS best_score FROM graded g CROSS JOIN best b),
total AS (
  SELECT best_ranks AS ranks, any_value(best_score) AS best_score, count(DISTINCT source) FILTER (agrees AND ranks = best_ranks) AS sources,
    list_sort(list(DISTINCT source) FILTER (agrees)) AS said_by,
    max(score) FILTER (NOT agrees) AS other_score, string_agg(source || ' names ' || ranges(ranks), ', ' ORDER BY source) FILTER (NOT agrees) AS others,
    list_distinct(flatten(list(hosts) FILTER (agrees))) AS hosts, list_distinct(flatten(list(pids) FILTER (agrees))) AS pids,
    arg_max(grp, score) FILTER (agrees AND grp IS NOT NULL) AS grp, arg_max(seq, score) FILTER (agrees AND seq IS NOT NULL) AS seq,
    arg_max(op, score) FILTER (agrees AND op IS NOT NULL) AS op, max(score) FILTER (agrees AND side = 'host') AS host_score, max(score) FILTER (agrees AND side = 'device') AS device_score,
    string_agg(DISTINCT source || ' says ' || side, ', ' ORDER BY source || ' says ' || side) FILTER (agrees AND side IS NOT NULL) AS sides,
    arg_max(place, score) FILTER (agrees AND place IS NOT NULL) AS place, min(judged."at") FILTER (agrees) AS time, string_agg(said, '. ' ORDER BY score DESC) FILTER (agrees) AS said,
    max(timeout_ms) AS timeout_ms, max(world_size) AS world_size, coalesce(bool_or(sure) FILTER (agrees), false) AS sure,
    bool_and(source IN ('absent_dump', 'silent_log')) FILTER (agrees) AS unseen,  -- named because nothing is heard of it, and for no other reason
    flatten(list(evidence ORDER BY score DESC) FILTER (agrees)) AS evidence
  FROM judged GROUP BY best_ranks),
voted AS (
  SELECT *, least(3, best_score + CASE WHEN sources > 1 THEN 1 ELSE 0 END) - CASE WHEN other_score >= best_score THEN 1 ELSE 0 END AS score,
    host_score IS NOT NULL AND device_score IS NOT NULL AS sides_differ FROM total),
-- Where the sources agree on who and not on the side, the better proved side is told as such; of two as good, neither.
final AS (
  SELECT * REPLACE (CASE WHEN sides_differ AND score > 1 THEN score - 1 ELSE score END AS score),
    CASE WHEN coalesce(host_score, 0) > coalesce(device_score, 0) THEN 'host' WHEN coalesce(device_score, 0) > coalesce(host_score, 0) THEN 'device' END AS side
  FROM voted)
SELECT CASE WHEN len(ranks) = 1 THEN 'Rank ' || ranks[1] ELSE 'Ranks ' || ranges(ranks) END || CASE WHEN unseen THEN ' may' WHEN len(ranks) = 1 THEN ' has' ELSE ' have' END
    || CASE WHEN unseen THEN ' not have joined' WHEN side = 'device' AND NOT sides_differ THEN ' enqueued but not finished' WHEN sides_differ THEN ' not finished' ELSE ' not joined' END || ' what the others wait in'
    || coalesce(' (' || nullif(concat_ws(' ', op, seq, CASE WHEN grp IS NOT NULL THEN 'of group ' || grp END), '') || ')', '')
    || CASE WHEN sides_differ THEN '; whether on the host or the device side is disputed: ' || sides WHEN side = 'device' THEN ': stuck on the device' WHEN side = 'host' THEN ': stuck on the host side' ELSE '' END
    || '. ' || upper(said[1]) || said[2:] || coalesce('. Another source disagrees: ' || others, '') || '.' AS summary,
  evidence, time AS "at", ranks, hosts,
  CASE WHEN score >= 3 THEN 'definite' WHEN score = 2 THEN 'probable' ELSE 'possible' END AS confidence,
  CASE WHEN score <= 1 AND NOT sure THEN 'warning' ELSE 'critical' END AS severity,
  CASE WHEN list_contains(said_by, 'attach') THEN 'The process of rank ' || ranges(ranks) || ' is gone, there is nothing left to dump: see how it ended - its exit code, the end of its own log, the scheduler''s record, the kernel log of its host (OOM killer).'
            WHEN unseen AND score < 2 THEN 'First see whether the process of rank ' || ranges(ranks) || ' still ran: its exit code, its own last lines, the disk its dump goes to. Nothing here speaks against its host or GPU, so don''t take it out for this alone.'
            WHEN sides_differ THEN 'See first where the program of rank ' || ranges(ranks) || ' stands: py-spy dump of it, more than once, and the kernel log of its host for Xid; take the host out only where a GPU is at fault.'
            WHEN side = 'device' THEN 'Take the host of rank ' || ranges(ranks) || ' out and test its GPU: kernel log for Xid, nvidia-smi -q, dcgmi diag -r 3.'
            WHEN side = 'host' THEN 'Find out where the program of rank' || CASE WHEN len(ranks) = 1 THEN ' ' ELSE 's ' END || ranges(ranks) || ' stood: ' || CASE WHEN list_contains(said_by, 'stacks') THEN 'one more py-spy dump (does it move?)' ELSE 'a py-spy dump' END || ', the last log lines and the kernel log of its host.' END AS action,
  grp AS "group", seq, op, side, place AS "where", CASE WHEN len(pids) > 0 THEN pids END AS pids, said_by, nullif(concat_ws(', ', others, CASE WHEN sides_differ THEN sides END), '') AS disagreement, timeout_ms, world_size
FROM final WHERE score >= 1
UNION ALL BY NAME
-- Dumps that name processes and no ranks, where nobody names ranks.
SELECT 'Process ' || array_to_string(p.pids, ', ') || coalesce(' on ' || nullif(array_to_string(p.hosts, ', '), ''), '') || CASE WHEN p.source = 'strace' THEN ' is stopped. ' ELSE ' did not reach what the others wait in. ' END || upper(p.said[1]) || p.said[2:] || '.' AS summary,
  p.evidence, p."at", p.hosts, CASE WHEN p.grade = 'definite' THEN 'probable' ELSE p.grade END AS confidence, p.grp AS "group", p.seq, p.op, p.side, p.place AS "where", p.pids, [p.source] AS said_by
FROM missing_rank_suspect p WHERE coalesce(len(p.ranks), 0) = 0 AND len(p.pids) > 0 AND NOT EXISTS (FROM missing_rank_suspect q WHERE len(q.ranks) > 0)
