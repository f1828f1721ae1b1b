-- view: Moments that tell the engine how the clocks of different logs stand to each other
-- (logsift/judge/clocks.py). `event`: rows of one event saw the same moment, each by its own clock
-- (`time`, or `uptime_seconds` where only that is printed). `utc`: the line says the true time
-- itself. `within_seconds`: how far the sightings of one event may be apart. Who says that a
-- process ended: the kernel that killed it, and its launcher.
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
