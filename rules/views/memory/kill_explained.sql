-- view: one row per line that accounts for a process ended by SIGKILL. for_memory: it was killed
-- for memory, which counts whenever it is told; an end from outside counts if it came before.
select file_id, line_no, true as for_memory
from oom_kill
union all
select file_id, line_no, true
from oomd_kill
union all
select file_id, line_no, true
from job_event
where event = 'oom_kill'
union all
select file_id, line_no, false
from ended_from_outside
