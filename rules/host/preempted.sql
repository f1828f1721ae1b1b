/*
title       = "The job was ended from outside"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["network.peer_lost", "network.connect_failure", "network.ib_error", "hang", "crash.signal", "divergence.stack", "divergence.collective_count", "loss.rollback"]
transient = true
about       = """
The scheduler ended the job: its time was over, a job of higher priority took its nodes, it was put back into the queue, or a person cancelled it.
What the program prints afterwards (SIGTERM, closed connections) is only the echo. A line CANCELLED without a reason says nothing of the cause:
Slurm prints it also when a step fails, so that it is not reported. A job that hung until its time was over, or until somebody ended it, ended of the hang.
"""
remedy      = "Write checkpoints in time for the limit (sbatch --signal) and start again from the last one; ask for more time, or for a partition that is not preempted."
false_positives = "The job had hung long before its time was over: then the hang is the cause."
references  = ["https://slurm.schedmd.com/preempt.html"]
*/
with
    said as (
        select
            *,
            case
                event
                when 'time_limit'
                then 'time limit'
                when 'preempted'
                then 'preemption'
                when 'requeued'
                then 'requeue'
                else
                    case
                        when message like 'TERM%OWNER%'
                        then 'its owner'
                        when message like 'TERM%ADMIN%'
                        then 'an administrator'
                        else regexp_extract(message, '(uid [0-9]+)', 1)
                    end
            end as by_whom
        from
            (
                select * replace (replace(message, 'CANCELLED by ', 'uid ') as message)
                from scheduler_event
            )
        where
            event in ('time_limit', 'preempted', 'requeued')
            or (event = 'cancelled' and (message like 'uid %' or starts_with(message, 'TERM_')))
    ),
    stood as (  -- since when it hung before that: nothing to do with who needed the nodes
        select 1
        from said s
        where
            event in ('time_limit', 'cancelled')
            and (
                exists (from missing_rank_suspect)
                or exists (
                    from c10d_timeout_line t
                    where
                        t.source = 'watchdog'
                        and coalesce(
                            t.time - to_milliseconds(coalesce(t.ran_ms, 0))
                            < s.time - interval 2 minute,
                            true
                        )
                )
            )
    )
select
    concat(
        'job ',
        coalesce(min(job), '(not named)'),
        case
            arg_min(event, weight)
            when 'time_limit'
            then ' reached its time limit'
            when 'preempted'
            then ' was preempted'
            when 'requeued'
            then ' was put back into the queue'
            else ' was cancelled by ' || arg_min(by_whom, weight)
        end,
        ', says ',
        scheduler
    ) as summary,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct host) filter (host is not null) as hosts,
    case
        when
            arg_min(event, weight) = 'cancelled'
            or (arg_min(event, weight) = 'time_limit' and exists (from stood))
        then 'warning'
    end as severity,
    case
        when arg_min(event, weight) in ('time_limit', 'cancelled') and exists (from stood)
        then ['network.peer_lost', 'crash.signal']
    end as explains,
    arg_min(by_whom, weight) as "by",
    arg_min(event, weight) as reason,
    15 as signal,
    min(job) as job,
    min(job_step) as job_step,
    scheduler
from
    (
        select
            *,
            case
                event when 'preempted' then 1 when 'time_limit' then 2 when 'requeued' then 3 else 4
            end as weight
        from said
    )
group by scheduler
union all by name
-- SIGHUP comes of a terminal that was closed; SIGTERM has too many senders to name one.
select
    'the launcher got SIGHUP: the terminal or SSH session it was started from was closed'
    as summary,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct host) filter (host is not null) as hosts,
    'critical' as severity,
    'probable' as confidence,
    'closed terminal' as "by",
    'hangup' as reason,
    1 as signal,
    'Start the job where it outlives the session (tmux, screen, sbatch, setsid) and go on from the last checkpoint. nohup alone does not help torchrun: it installs its own handler.'
    as action
from launcher_event
where event = 'told_to_stop' and (signal_name in ('1', 'SIGHUP') or signal = 1)
having count(*) > 0
