/*
title = "Shared memory (/dev/shm) is full"
severity = "critical"
confidence = "probable"
status = "stable"
explains = [
  "hang",
  "network.peer_lost",
  "network.connect_failure",
  "network.ib_error",
  "divergence.collective_count",
  "divergence.stack",
  "crash.exception",
  "crash.signal",
  "gpu.cuda_error",
  "loss.rollback",
]
about = """
Data loader workers hand batches over in /dev/shm, and NCCL connects the ranks of one host through
it. When it is full, writing to it gives a bus error (SIGBUS), or "No space left on device" for a
file that is not on a disk. Containers get 64 MiB by default.
"""
false_positives = """
A bus error also comes from a memory-mapped file that was cut off or lies on a failing disk: the
library's sentence is a guess. Check whether /dev/shm was really full.
"""
references = ["https://pytorch.org/docs/stable/multiprocessing.html#sharing-strategies"]

[[summary]]
when = "signal and worker_pids"
say = '''
Data loader {{ worker_pids | agree('worker', 'workers') }} {{ worker_pids | names }}
{%- if ranks %} of {{ ranks | ranks }}{% endif %}{% if hosts %} on {{ hosts | names }}{% endif %}
died of a bus error: /dev/shm was probably full
'''

[[summary]]
when = "signal"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}A process{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %} had a bus error in shared memory: /dev/shm was
probably full
'''

[[summary]]
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}The program{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %} could not get
{% if requested_bytes %}{{ requested_bytes | size }} of {% endif %}shared memory
{%- if used_by == 'nccl' %} for NCCL{% endif %}{% if path %} ({{ path }}){% endif %}
'''

[[step]]
say = '''
See how full /dev/shm is{% if hosts %} on {{ hosts | names }}{% endif %} and what is in it: files
that an earlier run left behind can be deleted.
'''
run = ["df -h /dev/shm", "ls -lS /dev/shm | head -20"]

[[step]]
say = '''
Give it more room: in a container with --shm-size=16g or --ipc=host, in Kubernetes with an emptyDir
of medium Memory mounted at /dev/shm, on a host with a larger tmpfs.
'''
run = ["mount -o remount,size=50% /dev/shm"]

[[step]]
when = "used_by == 'nccl'"
say = "If it cannot grow, connect the ranks of a host without shared memory, which is slower."
run = ["export NCCL_SHM_DISABLE=1"]

[[step]]
when = "used_by != 'nccl'"
say = '''
If it cannot grow, use fewer data loader workers or a smaller prefetch, or share tensors through
files: torch.multiprocessing.set_sharing_strategy('file_system').
'''
*/
with
    failure as (
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
            false as says_full,
            'dataloader' as used_by
        from worker_killed
        where signal_name in ('Bus error', 'Bus')
        union all by name
        select
            file_id,
            line_no,
            time,
            rank,
            host,
            case when error = 'bus error' then 'SIGBUS' end as signal,
            requested_bytes,
            path,
            error = 'No space left on device' as says_full,
            source as used_by
        from shm_failure
        where
            not is_mapping_refused(error, requested_bytes)
            -- it does without a segment if it can
            and (source <> 'openmpi' or exists (from trouble_sign))
        union all by name
        -- who had the bus error, where the line that tells of it names no worker
        select
            e.file_id,
            e.line_no,
            e.time,
            e.rank,
            e.host,
            unnest(echo_pids(e.message)) as worker_pid,
            'SIGBUS' as signal,
            false as says_full,
            'dataloader' as used_by
        from exception e
        where
            echo_of(e.class, e.message) = 'loader_worker'
            and exists (
                from shm_failure s
                where
                    s.source = 'dataloader'
                    and s.error = 'bus error'
                    and s.file_id = e.file_id
                    and s.rank is not distinct from e.rank
                    and abs(s.line_no - e.line_no) <= 100
            )
        union all by name
        -- a semaphore is a file in /dev/shm that Python does not name, nor is what is handed over
        select
            file_id,
            line_no,
            time,
            rank,
            host,
            '/dev/shm' as path,
            true as says_full,
            'python' as used_by
        from disk_full d
        where
            error = 'ENOSPC'
            and exists (
                from semaphore_call s
                where s.file_id = d.file_id and d.line_no - s.line_no between 1 and 4
            )
        union all by name
        select
            file_id,
            line_no,
            time,
            rank,
            host,
            requested_bytes,
            path,
            pid as refused_pid,
            coalesce(starts_with(error, 'No space left'), false) as says_full,
            'nccl' as used_by
        from nccl_segment_failure
        where is_full
        union all by name
        -- the pages of a segment are there when they are first touched, or the process dies
        select
            file_id,
            line_no,
            time,
            rank,
            host,
            'SIGBUS' as signal,
            false as says_full,
            'nccl' as used_by
        from "exit" x
        where
            signal = 7
            and exists (
                from nccl_crash_frame f
                where f.file_id = x.file_id and f.line_no - x.line_no between 1 and 12
            )
        union all by name
        select
            x.file_id,
            x.line_no,
            x.time,
            x.rank,
            x.host,
            'SIGBUS' as signal,
            '/dev/shm' as path,
            true as says_full,
            'other' as used_by
        from fatal_signal x
        where x.signal = 7 and exists (from disk_use where path = '/dev/shm' and percent >= 99)
    )
select
    list(line_at(file_id, line_no) order by worker_pid is null, file_id, line_no) as evidence,
    min(time) as "at",
    max(time) as until,
    coalesce(
        list(distinct rank) filter (rank is not null),
        case
            when count(distinct file_id) = 1
            then
                lone_process(
                    any_value(file_id), list(distinct host) filter (host is not null)
                ).ranks
        end
    ) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    case when bool_or(says_full) then 'definite' else 'probable' end as confidence,
    case when bool_or(used_by = 'nccl') then 'nccl' else min(used_by) end as used_by,
    case
        when count(worker_pid) > 0
        then list(distinct worker_pid order by worker_pid) filter (worker_pid is not null)
    end as worker_pids,
    coalesce(worker_pids, []) as pids,
    coalesce(
        min(worker_pid),
        case
            when count(distinct refused_pid) = 1 and count(*) = count(refused_pid)
            then min(refused_pid)
        end
    ) as pid,
    max(signal) as signal,
    max(requested_bytes) as requested_bytes,
    min(path) as path
from failure
having count(*) > 0
