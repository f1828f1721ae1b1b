/*
title = "Threads of one process wait for each other"
severity = "critical"
confidence = "probable"
status = "stable"
explains   = ["hang.collective_timeout", "hang.log_silence", "divergence.stack", "network.peer_lost", "loss.rollback"]
explains_here = ["hang.missing_rank"]
explains_elsewhere = ["crash"]
about = """
At least two threads of a process stand in the acquisition of a lock and no thread that could release one does anything else; or its only
thread wants a lock that nobody is left to release, as in a pool worker forked while another thread held it; or a sleeping thread owns the
GIL that the main thread needs.
"""
remedy = "Take the locks in one order everywhere, hold none while waiting for another thread, and release the GIL in long C calls. A lock that was held while the process was forked is never released in the child."
falsely = "A lock shared with another process (file lock, shared memory), or one held by a thread without Python frames, is not seen as held."
references = ["https://docs.python.org/3/library/threading.html#lock-objects"]
*/
SELECT CASE WHEN rank IS NOT NULL THEN 'Rank ' || rank ELSE 'Process ' || pid END || coalesce(' (' || nullif(concat_ws(', ', host, CASE WHEN rank IS NOT NULL THEN 'pid ' || pid END), '') || ')', '')
    || CASE WHEN kind = 'GIL' THEN ': thread ' || threads[1].name || ' sleeps in ' || threads[1].place || ' and keeps the GIL, which the main thread in ' || coalesce(threads[2].place, '?') || ' waits for.'
            WHEN len(threads) = 1 THEN ': its only thread wants a lock in ' || threads[1].place || ' that no other thread is left to release.'
            ELSE ': ' || len(threads) || ' threads want locks and none can release one: ' || array_to_string(list_transform(threads, lambda t: t.name || ' in ' || t.place), ', ') || '.' END AS summary,
  evidence, CASE WHEN rank IS NOT NULL THEN [rank] END AS ranks, CASE WHEN host IS NOT NULL THEN [host] END AS hosts, [pid] AS pids, pid, rank,
  list_transform(threads, lambda t: t.name) AS threads, list_transform(threads, lambda t: t.function) AS functions, list_transform(threads, lambda t: t.place) AS places, kind AS lock,
  CASE WHEN kind = 'GIL' OR len(threads) = 1 THEN 'possible' ELSE 'probable' END AS confidence
FROM stack_deadlock
UNION ALL BY NAME
SELECT CASE WHEN n = 1 THEN 'Pool worker ' || coalesce(pids[1]::VARCHAR, '') || ' wants a lock' ELSE n || ' pool workers (' || coalesce('pids ' || array_to_string(pids[:8], ', ') || CASE WHEN len(pids) > 8 THEN ', …' ELSE '' END, 'pids unknown') || ') want a lock' END
    || ' in ' || stands_in || ' that no other thread of the process is left to release: it was held when they were forked.' AS summary,
  evidence[:8] AS evidence, hosts, pids AS pids, CASE WHEN n = 1 THEN pids[1] END AS pid, pids AS worker_pids, function AS worker_function, stands_in AS worker_frame, [function] AS functions, [stands_in] AS places, 'lock' AS lock, 'probable' AS confidence,
  'Start the pool with the start method spawn or forkserver, or before any thread (logging handlers, tokenizers, OpenMP, gRPC) exists; a worker that stands so never ends: kill the job.' AS action
FROM stack_pool_lock
