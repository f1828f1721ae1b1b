-- table: One row per sign that the job did not end well, whoever tells of it: sign = abort | exit |
-- scheduler | launcher | exception | timeout | heartbeat | tool | hccl error | nccl error. With
-- none of them a log that stops is only a log that was cut.
select
    case when exitcode in (-6, 134) or signal = 6 then 'abort' else 'exit' end as sign,
    time,
    host,
    file_id,
    line_no
from exit
where
    -- a supervisor ends its own with SIGTERM
    (coalesce(exitcode, 0) <> 0 or signal <> 15 or signal = 15 and source <> 'keeper')
    and not coalesce(process in (select process from system_daemon), false)
    and not coalesce(process like 'org.freedesktop.%', false)
union all by name
select 'scheduler' as sign, time, host, file_id, line_no
from job_event
union all by name
select 'launcher' as sign, time, host, file_id, line_no
from task_failure
where teller = 'launcher'
union all by name
select 'exception' as sign, time, host, file_id, line_no
from exception e
where
    class in (
        'DistBackendError',
        'DistNetworkError',
        'DistStoreError',
        'DistError',
        'TimeoutError',
        'SignalException',
        'ChildFailedError',
        'RuntimeError'
    )
    and not is_exit_barrier(frames)
    -- the next attempt, in the same log, came to its end
    and not ends_well_after(e.file_id, e.line_no)
    -- what a program caught, and trained or wrote on for long
    and not exists (
        from exception_verdict v
        where
            v.file_id = e.file_id
            and e.line_no between v.line_no and v.raised_line
            and not v.chain_uncaught
            and (
                v.kind = 'own'
                and (v.steps_after >= 1 or e.class = 'RuntimeError' and v.lines_after > 200)
                -- whoever it lost, it did without
                or v.kind = 'echo'
                and v.steps_after > 5
            )
            and not v.job_failed
    )
union all by name
select 'timeout' as sign, time, host, file_id, line_no
from c10d_timeout_line
union all by name
select 'heartbeat' as sign, time, host, file_id, line_no
from c10d_heartbeat
union all by name
select 'tool' as sign, t.time, t.host, t.file_id, t.line_no
from tool_stop t
join file f using (file_id)
-- a signal is told by others
where f.lines - t.line_no <= 20 and coalesce(t.code, 1) < 128
union all by name
select 'hccl error' as sign, time, host, file_id, line_no
from hccl_error
union all by name
-- Frames of an error on its way up; fewer than three are a plug-in that is tried out, and where
-- steps follow, something that training did without.
select 'nccl error' as sign, time, host, file_id, line_no
from
    (
        select
            min(time) as time,
            host,
            arg_min(file_id, line_no) as file_id,
            min(line_no) as line_no,
            max(line_no) as last_line
        from nccl_result
        where nccl_result not in (0, 7)
        group by host, pid
        having count(*) > 2
    ) r
where
    (select count(*) from training_line t where t.file_id = r.file_id and t.line_no > r.last_line)
    < 3
