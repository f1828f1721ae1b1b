-- table: One row per line that says that a process ended, and who says so: source = kernel (which
-- killed it) | launcher.
select
    'kernel' as source,
    victim_pid as pid,
    file_id,
    line_no,
    host,
    time,
    time_quality,
    uptime_seconds
from oom_victim
union all
select 'kernel', pid, file_id, line_no, host, time, time_quality, uptime_seconds
from segfault
union all
select 'launcher', pid, file_id, line_no, host, time, time_quality, uptime_seconds
from "exit"
where source <> 'subprocess'
