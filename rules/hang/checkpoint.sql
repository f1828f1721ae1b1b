/*
title = "Stuck in saving or loading a checkpoint"
severity = "critical"
confidence = "probable"
status = "stable"
explains   = ["hang.missing_rank", "hang.collective_timeout", "hang.log_silence", "divergence.stack", "network.peer_lost"]
explains_other_ranks = ["crash"]
about = """
A rank stands in the code that writes or reads a checkpoint, at the same place in two dumps, while the other ranks wait for it.
Saving takes its time, so one dump proves nothing.
"""
remedy = "Look at the file system of the checkpoint from that host (df, a small write, dmesg, strace of the process). If the storage answers, look whether all ranks enter the save: a collective inside it needs every rank."
false_positives = "A very large checkpoint on slow storage can stand at one line for longer than the time between two dumps."
references = ["https://docs.pytorch.org/docs/stable/distributed.checkpoint.html"]
*/
select
    case
        when v.ranks is null
        then 'Process ' || array_to_string(v.pids, ', ')
        else case when len(v.ranks) = 1 then 'Rank ' else 'Ranks ' end || ranges(v.ranks)
    end
    || coalesce(' (' || nullif(array_to_string(v.hosts, ', '), '') || ')', '')
    || ' stands in '
    || v.frame
    || ', saving or loading a checkpoint, in two dumps; '
    || v.waiting
    || ' other'
    || case when v.waiting = 1 then ' waits' else 's wait' end
    || ' in '
    || v.waiting_function
    || '.' as summary,
    list_concat(coalesce(v.lines, v.heads, []), v.waiting_lines[:3]) as evidence,
    v.ranks,
    v.hosts,
    v.pids,
    v.function,
    v.world_size,
    v.waiting_function as majority_function
from stack_verdict as v
where v.kind = 'checkpoint'
