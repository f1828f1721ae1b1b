/*
title = "A rank waits for its data loader, and the others wait for the rank"
severity = "critical"
confidence = "probable"
status = "stable"
explains   = ["hang.collective_timeout", "hang.log_silence", "divergence.stack", "network.peer_lost", "loss.rollback"]
explains_here = ["hang.missing_rank"]
explains_elsewhere = ["crash"]
about = """
The main thread of a rank stands where the DataLoader waits for a batch of a worker process, while the other ranks wait in a
collective. Where the workers were dumped too, theirs is the place that matters: a lock inherited by fork, a read that does not return.
Where all ranks wait for their loaders, the workers must be seen to stand: two dumps in which none moves, or locks that they want.
"""
remedy = "Dump the workers of that rank too (py-spy dump --subprocesses --native). A lock on top: it was held by a thread when the worker was forked - use multiprocessing_context='spawn' or make no threads before the loader. A read on top: look at the storage. Set DataLoader(timeout=...) so that it fails with a message."
falsely = "A loader that is slow, not stuck, looks the same in one snapshot."
references = ["https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading"]
*/
WITH workers AS (
  SELECT list(pid ORDER BY pid) FILTER (pid IS NOT NULL) AS pids, mode(function) AS function, mode(place) AS place, count(*) AS n,
    list(line_at(file_id, own_line) ORDER BY pid) AS lines
  FROM stack_worker WHERE stuck
)
SELECT
  CASE WHEN v.ranks IS NULL THEN 'Process ' || array_to_string(v.pids, ', ') ELSE CASE WHEN len(v.ranks) = 1 THEN 'Rank ' ELSE 'Ranks ' END || ranges(v.ranks) END
    || coalesce(' (' || nullif(array_to_string(v.hosts, ', '), '') || ')', '') || ' wait' || CASE WHEN v.suspects = 1 THEN 's' ELSE '' END || ' for the data loader in ' || v.frame
    || CASE WHEN w.n > 0 THEN '; worker' || CASE WHEN w.n = 1 THEN ' ' ELSE 's ' END || array_to_string(w.pids, ', ') || ' stand' || CASE WHEN w.n = 1 THEN 's' ELSE '' END || ' in ' || w.place ELSE '' END
    || '; ' || v.waiting || ' other' || CASE WHEN v.waiting = 1 THEN ' waits' ELSE 's wait' END || ' in ' || v.waiting_function
    || CASE WHEN v.guessed AND v.ranks IS NOT NULL THEN ' (ranks guessed from the order of pids or hosts)' ELSE '' END || '.' AS summary,
  list_concat(list_concat(coalesce(w.lines, []), coalesce(v.lines, v.heads, [])), v.waiting_lines[:3]) AS evidence,
  v.ranks, v.hosts, v.pids, w.pids AS worker_pids, CASE WHEN len(w.pids) = 1 THEN w.pids[1] END AS worker_pid, w.function AS worker_function, w.place AS worker_frame, v.function AS waiting_function, v.world_size,
  v.waiting_function AS majority_function
FROM stack_verdict AS v LEFT JOIN workers AS w ON w.n > 0
WHERE v.kind = 'dataloader'
UNION ALL BY NAME
-- Nobody waits in a collective: all wait for data.
SELECT CASE WHEN s.n = 1 THEN coalesce('Rank ' || s.ranks[1], 'Process ' || s.pids[1], 'One process') || ' waits' ELSE 'All ' || s.n || ' ranks wait' END || ' for the data loader in ' || s.waiting_function
    || '; ' || CASE WHEN s.workers = 1 THEN 'its worker stands' ELSE 'all ' || s.workers || ' dumped workers stand' END || ' in ' || s.worker_place
    || CASE WHEN s.locked = s.workers THEN ' and want' || CASE WHEN s.workers = 1 THEN 's' ELSE '' END || ' a lock.' ELSE ', the same in two dumps.' END AS summary,
  list_transform(list_concat(s.worker_lines[:6], s.lines[:3]), lambda l: line_at(l.file_id, l.line_no)) AS evidence,
  CASE WHEN NOT s.guessed THEN s.ranks END AS ranks, s.hosts, s.pids, s.worker_pids, CASE WHEN len(s.worker_pids) = 1 THEN s.worker_pids[1] END AS worker_pid, s.worker_function, s.worker_place AS worker_frame, s.waiting_function,
  CASE WHEN s.locked = s.workers THEN 'critical' ELSE 'warning' END AS severity, CASE WHEN s.locked = s.workers THEN 'probable' ELSE 'possible' END AS confidence,
  CASE WHEN s.locked = s.workers THEN 'The lock was held by a thread when the workers were forked: use multiprocessing_context=''spawn'', or make no threads before the loader.'
       ELSE 'Look at the storage the workers read from (df, a small read, dmesg of the host) and at what stands in ' || s.worker_place || '; set DataLoader(timeout=...) so that it fails with a message.' END AS action
FROM stack_starved AS s
