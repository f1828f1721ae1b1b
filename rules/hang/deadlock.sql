/*
title = "Threads of one process wait for each other"
severity = "critical"
confidence = "probable"
status = "stable"
explains   = ["hang.collective_timeout", "hang.log_silence", "divergence.stack", "network.peer_lost", "loss.rollback"]
explains_same_place = ["hang.missing_rank"]
explains_other_ranks = ["crash"]
about = """
At least two threads of a process stand in the acquisition of a lock and no thread that could release one does anything else; or its only
thread wants a lock that nobody is left to release, as in a pool worker forked while another thread held it; or a sleeping thread owns the
GIL that the main thread needs.
"""
remedy = "Take the locks in one order everywhere, hold none while waiting for another thread, and release the GIL in long C calls. A lock that was held while the process was forked is never released in the child."
false_positives = "A lock shared with another process (file lock, shared memory), or one held by a thread without Python frames, is not seen as held."
references = ["https://docs.python.org/3/library/threading.html#lock-objects"]
*/
select
    case when rank is not null then 'Rank ' || rank else 'Process ' || pid end || coalesce(
        ' ('
        || nullif(concat_ws(', ', host, case when rank is not null then 'pid ' || pid end), '')
        || ')',
        ''
    )
    || case
        when kind = 'GIL'
        then
            ': thread '
            || threads[1].name
            || ' sleeps in '
            || threads[1].place
            || ' and keeps the GIL, which the main thread in '
            || coalesce(threads[2].place, '?')
            || ' waits for.'
        when len(threads) = 1
        then
            ': its only thread wants a lock in '
            || threads[1].place
            || ' that no other thread is left to release.'
        else
            ': '
            || len(threads)
            || ' threads want locks and none can release one: '
            || array_to_string(list_transform(threads, lambda t:t.name || ' in ' || t.place), ', ')
            || '.'
    end as summary,
    evidence,
    case when rank is not null then [rank] end as ranks,
    case when host is not null then [host] end as hosts,
    [pid] as pids,
    pid,
    rank,
    list_transform(threads, lambda t:t.name) as threads,
    list_transform(threads, lambda t:t.function) as functions,
    list_transform(threads, lambda t:t.place) as places,
    kind as lock,
    case when kind = 'GIL' or len(threads) = 1 then 'possible' else 'probable' end as confidence
from stack_deadlock
union all by name
select
    case
        when n = 1
        then 'Pool worker ' || coalesce(pids[1]::varchar, '') || ' wants a lock'
        else
            n
            || ' pool workers ('
            || coalesce(
                'pids '
                || array_to_string(pids[:8], ', ')
                || case when len(pids) > 8 then ', …' else '' end,
                'pids unknown'
            )
            || ') want a lock'
    end
    || ' in '
    || stands_in
    || ' that no other thread of the process is left to release: it was held when they were forked.'
    as summary,
    evidence[:8] as evidence,
    hosts,
    pids as pids,
    case when n = 1 then pids[1] end as pid,
    pids as worker_pids,
    function as worker_function,
    stands_in as worker_frame,
    [function] as functions,
    [stands_in] as places,
    'lock' as lock,
    'probable' as confidence,
    'Start the pool with the start method spawn or forkserver, or before any thread (logging handlers, tokenizers, OpenMP, gRPC) exists; a worker that stands so never ends: kill the job.'
    as action
from stack_pool_lock
