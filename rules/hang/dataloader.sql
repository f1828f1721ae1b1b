/*
title = "A rank waits for its data loader, and the others wait for the rank"
severity = "critical"
confidence = "probable"
status = "stable"
explains   = ["hang.collective_timeout", "hang.log_silence", "divergence.stack", "network.peer_lost", "loss.rollback"]
explains_same_place = ["hang.missing_rank"]
explains_other_ranks = ["crash"]
about = """
The main thread of a rank stands where the DataLoader waits for a batch of a worker process, while the other ranks wait in a
collective. Where the workers were dumped too, theirs is the place that matters: a lock inherited by fork, a read that does not return.
Where all ranks wait for their loaders, the workers must be seen to stand: two dumps in which none moves, or locks that they want.
"""
remedy = "Dump the workers of that rank too (py-spy dump --subprocesses --native). A lock on top: it was held by a thread when the worker was forked - use multiprocessing_context='spawn' or make no threads before the loader. A read on top: look at the storage. Set DataLoader(timeout=...) so that it fails with a message."
false_positives = "A loader that is slow, not stuck, looks the same in one snapshot."
references = ["https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading"]
*/
with
    workers as (
        select
            list(pid order by pid) filter (pid is not null) as pids,
            mode(function) as function,
            mode(place) as place,
            count(*) as n,
            list(line_at(file_id, own_line) order by pid) as lines
        from stack_worker
        where stuck
    )
select
    case
        when v.ranks is null
        then 'Process ' || array_to_string(v.pids, ', ')
        else case when len(v.ranks) = 1 then 'Rank ' else 'Ranks ' end || ranges(v.ranks)
    end
    || coalesce(' (' || nullif(array_to_string(v.hosts, ', '), '') || ')', '')
    || ' wait'
    || case when v.suspects = 1 then 's' else '' end
    || ' for the data loader in '
    || v.frame
    || case
        when w.n > 0
        then
            '; worker'
            || case when w.n = 1 then ' ' else 's ' end
            || array_to_string(w.pids, ', ')
            || ' stand'
            || case when w.n = 1 then 's' else '' end
            || ' in '
            || w.place
        else ''
    end
    || '; '
    || v.waiting
    || ' other'
    || case when v.waiting = 1 then ' waits' else 's wait' end
    || ' in '
    || v.waiting_function
    || case
        when v.guessed and v.ranks is not null
        then ' (ranks guessed from the order of pids or hosts)'
        else ''
    end
    || '.' as summary,
    list_concat(
        list_concat(coalesce(w.lines, []), coalesce(v.lines, v.heads, [])), v.waiting_lines[:3]
    ) as evidence,
    v.ranks,
    v.hosts,
    v.pids,
    w.pids as worker_pids,
    case when len(w.pids) = 1 then w.pids[1] end as worker_pid,
    w.function as worker_function,
    w.place as worker_frame,
    v.function as waiting_function,
    v.world_size,
    v.waiting_function as majority_function
from stack_verdict as v
left join workers as w on w.n > 0
where v.kind = 'dataloader'
union all by name
-- Nobody waits in a collective: all wait for data.
select
    case
        when s.n = 1
        then coalesce('Rank ' || s.ranks[1], 'Process ' || s.pids[1], 'One process') || ' waits'
        else 'All ' || s.n || ' ranks wait'
    end
    || ' for the data loader in '
    || s.waiting_function
    || '; '
    || case
        when s.workers = 1
        then 'its worker stands'
        else 'all ' || s.workers || ' dumped workers stand'
    end
    || ' in '
    || s.worker_place
    || case
        when s.locked = s.workers
        then ' and want' || case when s.workers = 1 then 's' else '' end || ' a lock.'
        else ', the same in two dumps.'
    end as summary,
    list_transform(
        list_concat(s.worker_lines[:6], s.lines[:3]), lambda l:line_at(l.file_id, l.line_no)
    ) as evidence,
    case when not s.guessed then s.ranks end as ranks,
    s.hosts,
    s.pids,
    s.worker_pids,
    case when len(s.worker_pids) = 1 then s.worker_pids[1] end as worker_pid,
    s.worker_function,
    s.worker_place as worker_frame,
    s.waiting_function,
    case when s.locked = s.workers then 'critical' else 'warning' end as severity,
    case when s.locked = s.workers then 'probable' else 'possible' end as confidence,
    case
        when s.locked = s.workers
        then
            'The lock was held by a thread when the workers were forked: use multiprocessing_context=''spawn'', or make no threads before the loader.'
        else
            'Look at the storage the workers read from (df, a small read, dmesg of the host) and at what stands in '
            || s.worker_place
            || '; set DataLoader(timeout=...) so that it fails with a message.'
    end as action
from stack_starved as s
