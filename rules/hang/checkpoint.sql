/*
title = "Stuck in saving or loading a checkpoint"
severity = "critical"
confidence = "probable"
status = "stable"
explains   = ["hang.missing_rank", "hang.collective_timeout", "hang.log_silence", "divergence.stack", "network.peer_lost"]
explains_elsewhere = ["crash"]
about = """
A rank stands in the code that writes or reads a checkpoint, at the same place in two dumps, while the other ranks wait for it.
Saving takes its time, so one dump proves nothing.
"""
remedy = "Look at the file system of the checkpoint from that host (df, a small write, dmesg, strace of the process). If the storage answers, look whether all ranks enter the save: a collective inside it needs every rank."
falsely = "A very large checkpoint on slow storage can stand at one line for longer than the time between two dumps."
references = ["https://docs.pytorch.org/docs/stable/distributed.checkpoint.html"]
*/
SELECT
  CASE WHEN v.ranks IS NULL THEN 'Process ' || array_to_string(v.pids, ', ') ELSE CASE WHEN len(v.ranks) = 1 THEN 'Rank ' ELSE 'Ranks ' END || ranges(v.ranks) END
    || coalesce(' (' || nullif(array_to_string(v.hosts, ', '), '') || ')', '') || ' stands in ' || v.frame || ', saving or loading a checkpoint, in two dumps; '
    || v.waiting || ' other' || CASE WHEN v.waiting = 1 THEN ' waits' ELSE 's wait' END || ' in ' || v.waiting_function || '.' AS summary,
  list_concat(coalesce(v.lines, v.heads, []), v.waiting_lines[:3]) AS evidence,
  v.ranks, v.hosts, v.pids, v.function, v.world_size, v.waiting_function AS majority_function
FROM stack_verdict AS v WHERE v.kind = 'checkpoint'
