-- view: One row per line or rank that is a sign that these are logs of a job or of its machines:
-- steps | ranks | communicator | watchdog | exit | launcher | scheduler | resources | gpu |
-- exception | stacks | calls | metrics. Documents and sources have none.
select 'steps' as sign
from job_output
union all
select 'ranks'
from rank
union all
select 'communicator'
from communicator
union all
select 'watchdog'
from c10d_event
union all
select 'watchdog'
from c10d_heartbeat
union all
select 'exit'
from "exit"
union all
select 'launcher'
from launcher_event
union all
select 'scheduler'
from scheduler_event
union all
select 'resources'
from resource_wait
union all
select 'gpu'
from gpu
union all
select 'gpu'
from xid_line
union all
select 'exception'
from traceback_end
union all
select 'stacks'
from stack_frame
union all
select 'calls'
from strace_line
union all
select 'metrics'
from metric_point
