/*
title      = "A process was ended by a signal"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["hang", "network.peer_lost", "divergence", "network.connect_failure", "network.ib_error", "loss.rollback"]
transient = true
about      = """
A rank or one of its helpers died of a segmentation fault, an abort, a bus error or a SIGKILL. What the launcher ends afterwards (SIGTERM, its own SIGKILL), what a watchdog aborts on purpose, and what a person or the scheduler ends is left out.
"""
remedy     = "Segmentation fault: take the library named by the kernel, or run with PYTHONFAULTHANDLER=1 and a core dump (gdb -p, bt). SIGKILL: look in dmesg of that host for the OOM killer, and in the scheduler's log."
false_positives = "A SIGKILL from the launcher that no log tells of."
references = ["https://man7.org/linux/man-pages/man7/signal.7.html"]
*/
with
    hard as (
        select *
        from death d
        where
            signal in (4, 6, 7, 8, 9, 11, 5)
            and not (source <> 'kernel' and exists (from ended_from_outside))
            -- killed by its launcher: told so, or asked with SIGTERM before
            and not (
                signal = 9
                and (
                    exists (
                        from launcher_event l
                        where l.event in ('forced', 'killing') and l.target_pid = d.pid
                    )
                    or exists (
                        from strace_known k
                        where
                            k.syscall = 'kill'
                            and k.result = '0'
                            and try_cast(regexp_extract(k.args, '^-?([0-9]+)', 1) as bigint) = d.pid
                            and contains(k.args, 'SIGKILL')
                    )
                    or exists (
                        from strace_event s
                        where
                            s.kind = 'signal'
                            and s.signal_name = 'SIGTERM'
                            and s.tid = d.pid
                            and d.source = 'strace'
                    )
                )
            )
            -- an abort with a reason of its own: a watchdog, an uncaught C++ exception of a
            -- failed collective or of CUDA
            and not (
                signal = 6
                and (
                    exists (from c10d_timeout_line)
                    or exists (from c10d_heartbeat)
                    or exists (from c10d_nccl_error)
                    or exists (from missing_rank_suspect)
                    or exists (from c10d_size)
                    or exists (from cuda_error)
                    or exists (from oom_event)
                )
            )
    ),
    first_told as (  -- the launcher's first failure was another one: this is a follower
        select bool_or(coalesce(exitcode, 0) > 0 and coalesce(exitcode, 0) < 129) as by_exit
        from "exit"
        where first_observed
    ),
    ranked as (
        select
            *,
            bool_or(signal not in (6, 9)) over () as any_fault,
            bool_or(first_observed) over () as any_first,
            bool_or(first_observed and signal = 9) over () as first_kill
        from hard
    ),
    chosen as (
        select *
        from ranked
        where
            not (any_fault and signal in (6, 9) and not (signal = 9 and first_kill))
            and not (
                signal in (6, 9)
                and coalesce((select by_exit from first_told), false)
                and not first_observed
            )
    ),
    grouped as (
        select
            signal,
            any_value(signal_name) as signal_name,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list(distinct pid order by pid) filter (pid is not null) as pids,
            list(distinct task order by task) filter (task is not null) as tasks,
            list(distinct local_rank order by local_rank) filter (
                local_rank is not null
            ) as local_ranks,
            min(time) as at_,
            max(process) filter (source = 'kernel') as kernel_process,
            any_value(process) filter (process is not null) as process,
            any_value(library) filter (library is not null) as library,
            any_value(library_offset) filter (library is not null) as library_offset,
            any_value(error_code) filter (error_code is not null) as error_code,
            any_value(fault_address) filter (fault_address is not null) as fault_address,
            any_value(exitcode) filter (exitcode is not null) as exitcode,
            list(distinct source order by source) as source,
            list(
                line_at(file_id, line_no)
                order by source = 'kernel' desc, first_observed desc, file_id, line_no
            )[:20] as evidence
        from chosen
        group by signal
    )
select
    case
        when len(ranks) > 0
        then 'Rank ' || ranges(ranks)
        when len(tasks) > 0
        then 'Task ' || ranges(tasks)
        when len(local_ranks) > 0
        then 'Local rank ' || ranges(local_ranks)
        when kernel_process is not null
        then 'Process ' || kernel_process
        else 'A process'
    end || coalesce(
        case when len(pids) <= 4 then ' (pid ' || array_to_string(pids, ', ') || ')' end, ''
    )
    || coalesce(' on ' || case when len(hosts) <= 3 then array_to_string(hosts, ', ') end, '')
    || ' was ended by '
    || signal_name
    || coalesce(' in ' || library || ' at offset ' || library_offset, '') as summary,
    evidence,
    at_ as at,
    ranks,
    hosts,
    case
        signal
        when 9
        then
            'Nobody in these logs says who sent SIGKILL: look in dmesg of '
            || coalesce(hosts[1], 'that host')
            || ' for the OOM killer, and in the scheduler''s log for a memory limit or a time limit.'
        when 7
        then
            'Bus error: check the size of /dev/shm (df -h /dev/shm; docker --shm-size), then the disk behind mapped files.'
        when 4
        then
            'Illegal instruction: the binary was built for another processor; install a wheel for this machine (lscpu).'
    end as action,
    case
        when signal = 9 and not list_contains(source, 'kernel') and ranks is null and pids is null
        then 'possible'
        when signal = 6
        then 'probable'
    end as confidence,
    signal,
    signal_name,
    exitcode,
    coalesce(kernel_process, process) as process,
    case when len(pids) = 1 then pids[1] end as pid,
    pids,
    case when len(hosts) = 1 then hosts[1] end as host,
    case when ranks is null and len(local_ranks) = 1 then local_ranks[1] end as local_rank,
    case when ranks is null then local_ranks end as local_ranks,
    library,
    try_cast(error_code as bigint) as error_code,
    library_offset as "offset",
    fault_address,
    source,
    (
        select list(distinct rank order by rank)
        from death e
        where e.signal = 15 and e.rank is not null
    ) as echo_ranks,
    case
        when ranks is not null
        then
            (
                select count(distinct rank)
                from identity
                where rank is not null
                having count(distinct rank) > greatest(1, max(rank))
            )
    end as world_size
from grouped
union all by name
-- Ray sees that the connection to a worker ended, and guesses at why.
select
    case
        when count(distinct pid) = 1
        then
            'A worker of Ray (pid '
            || any_value(pid)
            || coalesce(' on ' || any_value(host), '')
            || ')'
        else
            count(distinct pid)
            || ' workers of Ray (pid '
            || array_to_string(list(distinct pid order by pid)[:8], ', ')
            || ')'
    end
    || ' ended without a word: killed from outside, by the OOM killer as a rule, or crashed'
    as summary,
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence,
    min(time) as at,
    list(distinct host) filter (host is not null) as hosts,
    'Look in dmesg of '
    || coalesce(any_value(host), 'that host')
    || ' for the OOM killer and for segfaults, and in /tmp/ray/session_latest/logs for worker-*'
    || coalesce(any_value(pid)::varchar, 'PID')
    || '.err.' as action,
    'warning' as severity,
    'possible' as confidence,
    case when count(distinct pid) = 1 then any_value(pid) end as pid,
    list(distinct pid order by pid) as pids,
    case when count(distinct host) = 1 then any_value(host) end as host,
    ['ray'] as source
from "exit"
where
    source = 'ray'
    and pid is not null
    and not exists (from chosen)
    and not exists (from fatal_exception)
    and not exists (from ended_from_outside)
    and not exists (from cuda_error)
    and not exists (from oom_event)
    and not exists (from oomd_kill)
    and not exists (from kernel_oom_incident)
    and not exists (from c10d_timeout_line)
    and not exists (from c10d_nccl_error)
having count(*) > 0
