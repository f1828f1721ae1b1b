-- table: Processes that a signal ended, one row per source that tells of it (launcher, kernel,
-- strace, shell, data loader). Processes that a signal ended, by whoever tells of it; told by
-- several sources a death is several rows here.
with
    told as (
        select
            source as source,
            coalesce(
                signal,
                case
                    when exitcode < 0
                    then - exitcode
                    when exitcode between 129 and 159
                    then exitcode - 128
                end
            ) as signal,
            signal_name as said,
            exitcode,
            process,
            rank,
            local_rank,
            task,
            pid,
            host,
            time,
            file_id,
            line_no,
            coalesce(first_observed, false) as first_observed,
            null as library,
            null as library_offset,
            null as error_code,
            null as fault_address
        from "exit"
        where source <> 'subprocess'
        union all
        select
            'kernel',
            null,
            signal_name,
            null,
            process,
            null,
            null,
            null,
            pid,
            host,
            time,
            file_id,
            line_no,
            true,
            library,
            library_offset,
            error_code,
            fault_address
        from fault
        union all  -- strace prints the end of every thread: the main thread's counts, or the process's lowest where that is not known
        select
            'strace',
            null,
            e.signal_name,
            null,
            null,
            t.rank,
            null,
            null,
            nullif(coalesce(t.pid, e.tid), 0),
            t.host,
            make_timestamp(
                (
                    epoch_us(case when e.at_s < 100000 then f.day else timestamp '1970-01-01' end)
                    + e.at_s * 1000000
                )::bigint
            ),
            e.file_id,
            e.line_no,
            false,
            null,
            null,
            null,
            null
        from strace_event e
        join strace_thread t on t.trace = e.trace and t.tid = e.tid
        join strace_file f on f.file_id = e.file_id
        where e.kind = 'killed' and t.main
        union all  -- a worker of a data loader, told by its parent
        select
            'data loader',
            null,
            regexp_extract(message, 'killed by signal: ([A-Z][a-z ]+?)(?:\.|$)', 1),
            null,
            'data loader worker',
            rank,
            null,
            task,
            try_cast(regexp_extract(message, 'worker \(pid\(?s?\)? ([0-9]+)', 1) as bigint),
            host,
            time,
            file_id,
            line_no,
            false,
            null,
            null,
            null,
            null
        from exception
        where
            contains(message, 'is killed by signal: ')
            and regexp_matches(
                message, 'killed by signal: (?:Segmentation fault|Aborted|Illegal|Floating)'
            )
        union all
        select
            'faulthandler',
            null,
            regexp_extract(
                occasion,
                'Fatal Python error: (Segmentation fault|Aborted|Bus error|Floating point exception|Illegal instruction)',
                1
            ),
            null,
            'python',
            rank,
            local_rank,
            task,
            pid,
            host,
            time,
            file_id,
            line_no,
            false,
            null,
            null,
            null,
            null
        from stack_process
        where occasion like 'Fatal Python error: %'
        union all
        select
            'gdb',
            6,
            null,
            null,
            null,
            rank,
            null,
            null,
            null,
            host,
            time,
            file_id,
            line_no,
            false,
            null,
            null,
            null,
            null
        from abort_stack
    ),
    named as (
        select t.* exclude (signal), coalesce(t.signal, n.signal) as signal
        from told t
        left join signal_number n on n.said = t.said
    ),
    hosts as (  -- a process id that only one host's lines name
        select pid, any_value(host) as host
        from nccl_process
        where pid is not null and host <> ''
        group by pid
        having count(distinct host) = 1
    ),
    pids as (
        select pid, any_value(rank) as rank, any_value(host) as host
        from
            (
                select pid, rank, host
                from identity
                union all
                select pid, rank, host
                from "exit"
            )
        where pid is not null and rank is not null
        group by pid
        having count(distinct rank) = 1
    )
select
    d.* exclude (said, rank, host),
    s.signal_name,
    coalesce(d.rank, p.rank) as rank,
    coalesce(d.host, p.host, h.host) as host
from named d
left join
    (
        select signal, min(signal_name) as signal_name
        from signal_number
        where starts_with(said, 'SIG') and said <> 'SIGIOT'
        group by signal
    ) s using (signal)
left join pids p on p.pid = d.pid
left join hosts h on h.pid = d.pid and d.source <> 'kernel'
where d.signal is not null
