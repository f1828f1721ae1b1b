-- view: One row per line or rank that is a sign that these are logs of a job or of its machines:
-- steps | ranks | communicator | watchdog | exit | launcher | scheduler | resources | gpu |
-- exception | stacks | calls | metrics; is_sure where no program of another kind leaves it.
-- Documents and sources have none of those.
select 'steps' as sign, true as is_sure
from job_output
union all
select 'steps', true
from line_step
union all
select 'steps', true
from segment
union all
select 'ranks', true
from rank
union all
select 'communicator', true
from communicator
union all
select 'watchdog', true
from c10d_event
union all
select 'watchdog', true
from c10d_heartbeat
union all
select 'exit', false
from "exit"
union all
select 'launcher', true
from launcher_event
union all
select 'scheduler', true
from scheduler_event
union all
select 'resources', true
from resource_wait
union all
select 'gpu', true
from gpu
union all
select 'gpu', true
from xid_line
union all
select 'exception', false
from traceback_end
union all
select 'stacks', false
from stack_frame
union all
select 'calls', false
from strace_line
union all
select 'metrics', true
from metric_point
