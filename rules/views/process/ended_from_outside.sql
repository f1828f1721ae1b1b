-- table: One row per line that says that the job was ended from outside: who = person | scheduler |
-- launcher (it was told to stop, by nobody it names). What dies then, dies of that.
select 'person' as who, file_id, line_no, time
from exception
where class = 'KeyboardInterrupt'
union all
select 'person', file_id, line_no, time
from launcher_event
where event = 'told_to_stop' and (signal_name in ('2', 'SIGINT') or signal = 2)
union all
select 'person', file_id, line_no, time
from death
where signal = 2
union all
select 'scheduler', file_id, line_no, time
from job_event
where event in ('time_limit', 'preempted', 'requeued', 'node_failure', 'evicted', 'signalled')
union all
-- Slurm also says that it cancels a step when one of its tasks has failed: then srun told of that
-- task before
select 'scheduler', file_id, line_no, time
from job_event e
where
    event = 'cancelled'
    and not (
        e.scheduler = 'slurm'
        and exists (
            from "exit" x
            where
                x.source = 'srun'
                and x.file_id = e.file_id
                and x.line_no < e.line_no
                and coalesce(x.signal_name, '')
                not in ('Terminated', 'Killed', 'Hangup', 'Interrupt')
        )
    )
union all
select 'launcher', file_id, line_no, time
from launcher_event
where event = 'told_to_stop' and (signal_name in ('15', 'SIGTERM') or signal = 15)
