/*
title      = "Shared memory (/dev/shm) is full"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "divergence.collective_count", "divergence.stack", "crash.exception", "crash.signal", "gpu.cuda_error", "loss.rollback"]
about      = """
Data loader workers hand batches over in /dev/shm, NCCL connects ranks of one host through it. When it is full, writing to it
gives a bus error (SIGBUS), or "No space left on device" for a file that is no file on disk. Containers get 64 MiB by default.
"""
remedy     = "Look at df -h /dev/shm on the host. In a container: docker run --shm-size=…, --ipc=host, or an emptyDir of medium Memory; else fewer workers, smaller prefetch, or torch.multiprocessing.set_sharing_strategy('file_system')."
falsely    = "A bus error also comes from a memory-mapped file that was cut off or lies on a failing disk: the library's sentence is a guess. Check whether /dev/shm was really full."
references = ["https://pytorch.org/docs/stable/multiprocessing.html#sharing-strategies"]
*/
WITH said AS (
  SELECT file_id, line_no, time, rank, host, worker_pid, 'SIGBUS' AS signal, NULL::BIGINT AS requested_bytes, NULL::VARCHAR AS path, false AS certain, 'dataloader' AS said_by
  FROM worker_killed WHERE signal_name = 'Bus error'
  UNION ALL
  SELECT file_id, line_no, time, rank, host, NULL, CASE WHEN error = 'bus error' THEN 'SIGBUS' END, requested_bytes, path, error = 'No space left on device', said_by
  FROM shm_failure
  UNION ALL
  SELECT file_id, line_no, time, rank, host, NULL, NULL, NULL, '/dev/shm', true, 'python'
  FROM disk_full d WHERE error = 'ENOSPC' AND EXISTS (FROM semaphore_call s WHERE s.file_id = d.file_id AND d.line_no - s.line_no BETWEEN 1 AND 4)
  UNION ALL
  SELECT file_id, line_no, time, rank, host, NULL, NULL, requested_bytes, path, coalesce(starts_with(error, 'No space left'), false), 'nccl'
  FROM nccl_shm_failure WHERE error IS NULL OR starts_with(error, 'No space left')
)
SELECT CASE WHEN max(signal) IS NOT NULL THEN 'bus error in data loader worker' || CASE WHEN count(DISTINCT worker_pid) = 1 THEN ' ' || min(worker_pid) WHEN count(DISTINCT worker_pid) > 1 THEN 's ' || string_agg(DISTINCT worker_pid::VARCHAR, ', ') ELSE 's' END || ': /dev/shm was probably full'
            ELSE CASE WHEN bool_or(said_by = 'nccl') THEN 'NCCL' ELSE 'the program' END || ' could not get ' || coalesce(known_bytes(max(requested_bytes)) || ' of ', '') || 'shared memory' || coalesce(' (' || min(path) || ')', '') END
         || CASE WHEN count(DISTINCT rank) > 0 THEN ', rank(s) ' || ranges(list(DISTINCT rank) FILTER (rank IS NOT NULL)) ELSE '' END AS summary,
       list(line_at(file_id, line_no) ORDER BY worker_pid IS NULL, file_id, line_no) AS evidence, min(time) AS "at", max(time) AS until,
       list(DISTINCT rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
       CASE WHEN bool_or(certain) THEN 'definite' ELSE 'probable' END AS confidence,
       CASE WHEN count(worker_pid) > 0 THEN list(DISTINCT worker_pid) FILTER (worker_pid IS NOT NULL) END AS worker_pids, min(worker_pid) AS pid, max(signal) AS signal,
       max(requested_bytes) AS requested_bytes, min(path) AS path
FROM said HAVING count(*) > 0
