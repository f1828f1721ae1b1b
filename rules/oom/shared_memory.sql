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
false_positives = "A bus error also comes from a memory-mapped file that was cut off or lies on a failing disk: the library's sentence is a guess. Check whether /dev/shm was really full."
references = ["https://pytorch.org/docs/stable/multiprocessing.html#sharing-strategies"]
*/
with
    said as (
        select
            file_id,
            line_no,
            time,
            rank,
            host,
            worker_pid,
            'SIGBUS' as signal,
            null::bigint as requested_bytes,
            null::varchar as path,
            false as certain,
            'dataloader' as source
        from worker_killed
        where signal_name = 'Bus error'
        union all
        select
            file_id,
            line_no,
            time,
            rank,
            host,
            null,
            case when error = 'bus error' then 'SIGBUS' end,
            requested_bytes,
            path,
            error = 'No space left on device',
            source
        from shm_failure
        union all
        select file_id, line_no, time, rank, host, null, null, null, '/dev/shm', true, 'python'
        from disk_full d
        where
            error = 'ENOSPC'
            and exists (
                from semaphore_call s
                where s.file_id = d.file_id and d.line_no - s.line_no between 1 and 4
            )
        union all
        select
            file_id,
            line_no,
            time,
            rank,
            host,
            null,
            null,
            requested_bytes,
            path,
            coalesce(starts_with(error, 'No space left'), false),
            'nccl'
        from nccl_shm_failure
        where error is null or starts_with(error, 'No space left')
    )
select
    case
        when max(signal) is not null
        then
            'bus error in data loader worker' || case
                when count(distinct worker_pid) = 1
                then ' ' || min(worker_pid)
                when count(distinct worker_pid) > 1
                then 's ' || string_agg(distinct worker_pid::varchar, ', ')
                else 's'
            end
            || ': /dev/shm was probably full'
        else
            case when bool_or(source = 'nccl') then 'NCCL' else 'the program' end
            || ' could not get '
            || coalesce(known_bytes(max(requested_bytes)) || ' of ', '')
            || 'shared memory'
            || coalesce(' (' || min(path) || ')', '')
    end || case
        when count(distinct rank) > 0
        then ', rank(s) ' || ranges(list(distinct rank) filter (rank is not null))
        else ''
    end as summary,
    list(line_at(file_id, line_no) order by worker_pid is null, file_id, line_no) as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    case when bool_or(certain) then 'definite' else 'probable' end as confidence,
    case
        when count(worker_pid) > 0 then list(distinct worker_pid) filter (worker_pid is not null)
    end as worker_pids,
    min(worker_pid) as pid,
    max(signal) as signal,
    max(requested_bytes) as requested_bytes,
    min(path) as path
from said
having count(*) > 0
