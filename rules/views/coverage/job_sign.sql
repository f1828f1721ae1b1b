-- view: One row per kind of sign that these are logs of a job or of its machines: steps | ranks |
-- communicator | exit | launcher | scheduler | gpu | exception | stacks | calls | metrics.
-- Documents
-- and sources have none.
(select 'steps' as sign from job_output limit 1)
union all
(select 'ranks' as sign from rank limit 1)
union all
(select 'communicator' as sign from communicator limit 1)
union all
(select 'exit' as sign from "exit" limit 1)
union all
(select 'launcher' as sign from launcher_event limit 1)
union all
(select 'scheduler' as sign from scheduler_event limit 1)
union all
(select 'gpu' as sign from gpu limit 1)
union all
(select 'gpu' as sign from xid limit 1)
union all
(select 'exception' as sign from traceback_end limit 1)
union all
(select 'stacks' as sign from stack_frame limit 1)
union all
(select 'calls' as sign from strace_line limit 1)
union all
(select 'metrics' as sign from metric_point limit 1)
