-- table: One row per report that a process died of a signal which means a crash or a kill, and
-- which nobody is known to have caused on purpose: no person, scheduler, launcher or watchdog, no
-- error that aborts. Columns as in death; attempt = the attempt of the job that it is of, 0 where
-- not all of them are in logs that tell of attempts.
with
    reported as (
        select
            * exclude (attempt),
            case when bool_and(attempt is not null) over () then attempt else 0 end as attempt
        from
            (
                select
                    d.*,
                    (
                        select max_by(a.attempt, a.line_no)
                        from job_attempt a
                        where a.file_id = d.file_id and a.line_no <= d.line_no
                    ) as attempt
                from death d
            )
    ),
    launcher_exit as (
        select bool_or(exitcode between 1 and 128) as first_failure_exited
        from "exit"
        where first_observed
    ),
    asked_to_die as (  -- by its launcher, or by a process that strace saw
        select target_pid as pid, null as source
        from launcher_event
        where event in ('forced', 'killing') and target_pid is not null
        union all
        select try_cast(regexp_extract(args, '^-?([0-9]+)', 1) as bigint), null
        from strace_known
        where syscall = 'kill' and result = '0' and contains(args, 'SIGKILL')
        union all
        select tid, 'strace'
        from strace_event
        where kind = 'signal' and signal_name = 'SIGTERM'
    ),
    abort_on_purpose as (
        select
            exists (from c10d_timeout_line)
            or exists (from c10d_heartbeat)
            or exists (from c10d_nccl_error)
            or exists (from coordination_task where event in ('heartbeat', 'task_died', 'barrier'))
            or exists (from missing_rank_suspect)
            or exists (from c10d_size)
            or exists (from cuda_error)
            or exists (from oom_event)
            -- C++ ends what nobody caught: that the other end of a connection is gone
            or exists (
                from exception_verdict where class = 'C++ exception' and kind = 'echo'
            ) as known
    ),
    candidate as (
        select
            d.*,
            signal not in (6, 9) as is_fault,
            bool_or(signal not in (6, 9)) over (partition by attempt) as any_fault,
            bool_or(first_observed and signal = 9) over (partition by attempt) as killed_first
        from reported d
        where
            signal in (4, 5, 6, 7, 8, 9, 11)
            and (source = 'kernel' or not exists (from ended_from_outside))
            and not coalesce(d.process in (select process from system_daemon), false)
            -- a program with windows
            and not (
                source = 'kernel'
                and coalesce(
                    regexp_matches(
                        library,
                        '^lib(?:gio|gobject|gtk|gdk|Qt[456]|KF[56]|X11|xcb|wayland|mutter|gnome)'
                    ),
                    false
                )
            )
            -- a breakpoint: how GLib's and Chromium's programs end themselves
            and not (
                signal = 5
                and source = 'kernel'
                and not regexp_matches(process, '(?i)^(?:python|pt_|ray|torch|train|julia)')
            )
            and not (
                signal = 9
                -- it lists the one that died as well
                and d.source <> 'deepspeed'
                and exists (
                    from asked_to_die a where a.pid = d.pid and coalesce(a.source = d.source, true)
                )
            )
            and not (signal = 6 and (select known from abort_on_purpose))
            -- A report of the job's end tells why the scheduler ended it, and what its shell
            -- ended with
            and not (
                signal = 9
                and source in ('lsf', 'grid engine', 'shell')
                and exists (
                    from job_event e
                    where
                        e.file_id = d.file_id
                        and e.scheduler in ('lsf', 'grid engine')
                        and case
                            source
                            when 'lsf'
                            then d.line_no - e.line_no between 1 and 3
                            when 'shell'
                            then e.line_no > d.line_no
                            else abs(d.line_no - e.line_no) < 20
                        end
                )
            )
            -- Slurm counts the kill of which the job's shell tells, and another shell not of whom
            and not (
                signal = 9
                and source = 'shell'
                and exists (
                    from job_event e
                    where
                        e.scheduler = 'slurm'
                        and e.event = 'oom_kill'
                        and (e.file_id = d.file_id or d.pid is null)
                )
            )
            -- Slurm ends the rest of a step
            and not (
                signal = 9
                and source = 'srun'
                and exists (
                    from job_event e
                    where
                        e.file_id = d.file_id
                        and e.line_no < d.line_no
                        and e.scheduler = 'slurm'
                        and e.event in ('cancelled', 'task_failed')
                )
            )
    )
-- An abort or a kill follows a fault, and follows the first failure where that was a plain exit.
select * exclude (is_fault, any_fault, killed_first)
from candidate
where
    is_fault
    or (
        (not any_fault or (signal = 9 and killed_first))
        and (
            first_observed or not coalesce((select first_failure_exited from launcher_exit), false)
        )
    )
