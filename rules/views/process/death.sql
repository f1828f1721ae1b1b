-- table: One row per report that a signal ended a process, with whoever tells of it in source:
-- a launcher, the kernel, strace, the shell, a data loader, faulthandler, gdb, a core file,
-- Kubernetes. A death that several of them tell of is several rows. library, library_offset,
-- error_code and fault_address are the kernel's; rank and host are taken from other lines where the
-- report lacks them.
with
    -- DeepSpeed's launcher lists the processes that it ends once one has died: where there is one,
    -- it is that.
    lone_child as (
        select file_id, any_value(target_pid) as pid
        from launcher_event
        where event = 'killing'
        group by file_id
        having count(distinct concat_ws(' ', host, target_pid)) = 1
    ),
    report as (
        select
            x.source,
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
            coalesce(local_rank, case when l.pid is not null then 0 end) as local_rank,
            coalesce(t.task, x.task) as task,
            coalesce(x.pid, l.pid) as pid,
            x.host,
            time,
            file_id,
            line_no,
            coalesce(first_observed, false) as first_observed
        from "exit" x
        left join exit_task t using (file_id, line_no)
        left join lone_child l on l.file_id = x.file_id and x.source = 'deepspeed'
        where
            x.source <> 'subprocess'
            -- what a launcher started; other programs start compilers, too
            or x.signal in (4, 6, 7, 8, 11)
            and exists (
                from exception e
                where
                    e.file_id = x.file_id
                    and e.line_no = x.line_no
                    and regexp_matches(
                        e.frames::varchar,
                        'torch/distributed/(launch|run)\.py|accelerate/commands/launch\.py'
                    )
            )
        union all by name
        -- of a report that was cut from above
        select
            'torchelastic' as source,
            - exitcode as signal,
            exitcode,
            rank,
            local_rank,
            pid,
            time,
            file_id,
            line_no
        from report_entry r
        where
            exitcode < 0
            and not exists (from "exit" x where x.file_id = r.file_id and x.line_no = r.line_no)
        union all by name
        select
            'kernel' as source,
            signal_name as said,
            process,
            pid,
            host,
            time,
            file_id,
            line_no,
            true as first_observed,
            library,
            library_offset,
            error_code,
            fault_address
        from fault
        union all by name
        -- strace prints the end of every thread: the main thread's counts, or the process's lowest
        -- where that is not known
        select
            'strace' as source,
            e.signal_name as said,
            t.rank,
            nullif(coalesce(t.pid, e.tid), 0) as pid,
            t.host,
            make_timestamp(
                (
                    epoch_us(case when e.at_s < 100000 then f.day else timestamp '1970-01-01' end)
                    + e.at_s * 1000000
                )::bigint
            ) as time,
            e.file_id,
            e.line_no
        from strace_event e
        join strace_thread t on t.trace = e.trace and t.tid = e.tid
        join strace_file f on f.file_id = e.file_id
        where e.kind = 'killed' and t.main
        union all by name
        -- a worker of a data loader, told by its parent
        select
            'data loader' as source,
            regexp_extract(message, 'killed by signal: ([A-Z][a-z ]+?)(?:\.|$)', 1) as said,
            'data loader worker' as process,
            rank,
            local_rank,
            task,
            try_cast(
                regexp_extract(message, '(?:worker|process) \(pid\(?s?\)? +([0-9]+)', 1) as bigint
            ) as pid,
            host,
            time,
            file_id,
            line_no
        from exception
        where
            class = 'RuntimeError'
            and contains(message, 'is killed by signal: ')
            and regexp_matches(
                message, 'killed by signal: (?:Segmentation fault|Aborted|Illegal|Floating)'
            )
        union all by name
        select
            'faulthandler' as source,
            -- the handler of a signal names it; whatever else is fatal, Python aborts
            coalesce(
                (
                    select any_value(n.said)
                    from signal_number n
                    where
                        n.signal in (4, 6, 7, 8, 11)
                        and contains(n.said, ' ')
                        and ends_with(lower(rtrim(occasion)), lower(n.said))
                ),
                'Aborted'
            ) as said,
            'python' as process,
            rank,
            local_rank,
            task,
            pid,
            host,
            time,
            file_id,
            line_no
        from stack_process
        where
            occasion like 'Fatal Python error: %'
            -- it did not come up: what it misses is told as such
            and not exists (
                from usage_error u
                where
                    u.kind = 'interpreter'
                    and u.file_id = stack_process.file_id
                    and u.line_no = stack_process.line_no
            )
            -- at its end it only finds a thread that still prints
            and not regexp_matches(occasion, '_enter_buffered_busy|at interpreter shutdown')
        union all by name
        -- 0 and 19: taken of a living process, 5: by a debugger
        select
            'core' as source,
            signal,
            process,
            rank,
            pid,
            host,
            time,
            file_id,
            line_no,
            true as first_observed
        from core_file
        where signal not in (0, 5, 19)
        union all by name
        select 'gdb' as source, signal, rank, host, time, file_id, line_no
        from signal_stack
        union all by name
        -- a container: SIGTERM is how each is asked to end, and what evicts it or runs out of
        -- memory tells so itself
        select
            'kubernetes' as source,
            exitcode - 128 as signal,
            exitcode,
            rank,
            host,
            time,
            file_id,
            line_no
        from container_exit
        where
            exitcode in (132, 134, 135, 136, 137, 139)
            and not exists (from job_event where event in ('oom_kill', 'evicted', 'preempted'))
    ),
    signal as (
        select signal, min(signal_name) as signal_name
        from signal_number
        where starts_with(said, 'SIG') and said <> 'SIGIOT'
        group by signal
    ),
    host_of_pid as (  -- a process id that only one host's lines name
        select pid, any_value(host) as host
        from
            (
                select pid, host
                from nccl_process
                union all
                select pid, host
                from identity
                where starts_with(learnt_from, 'nccl ')
            )
        where pid is not null and host <> ''
        group by pid
        having count(distinct host) = 1
    ),
    process_with_rank as (
        select t.pid, t.rank, t.host, coalesce(a.host, short_host(t.host)) as machine
        from
            (
                select pid, rank, host
                from identity
                union all
                select pid, rank, host
                from "exit"
            ) t
        left join host_alias a on a.alias = short_host(t.host)
        where pid is not null and rank is not null
    ),
    rank_of_pid as (
        select pid, any_value(rank) as rank, any_value(host) as host, any_value(machine) as machine
        from process_with_rank
        group by pid
        having count(distinct rank) = 1
    )
select
    r.* exclude (said, signal, rank, host, first_observed),
    coalesce(r.first_observed, false) as first_observed,
    coalesce(r.signal, n.signal) as signal,
    s.signal_name,
    coalesce(r.rank, p.rank, case when exists (from host_of_tasks) then r.task end) as rank,
    coalesce(r.host, p.host, h.host) as host
from report r
left join signal_number n on n.said = r.said
left join signal s on s.signal = coalesce(r.signal, n.signal)
left join host_alias a on a.alias = short_host(r.host)
left join
    rank_of_pid p
    on p.pid = r.pid
    and (
        -- containers of several hosts number their processes alike
        coalesce(coalesce(a.host, short_host(r.host)) = p.machine, true)
        or coalesce(a.host, short_host(r.host))
        not in (select machine from process_with_rank where machine is not null)
    )
left join host_of_pid h on h.pid = r.pid and r.source <> 'kernel'
where coalesce(r.signal, n.signal) is not null
