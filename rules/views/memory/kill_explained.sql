-- view: Anything that accounts for a process ended by SIGKILL: a kill for memory whenever it is
-- told, an end from outside if it came before.
select file_id, line_no, true as for_memory
from oom_kill
union all
select file_id, line_no, true
from oomd_kill
union all
select file_id, line_no, true
from scheduler_event
where event = 'oom_kill'
union all
select file_id, line_no, false
from ended_from_outside
