-- table: One row per line that tells of the end of an attempt of the job, or of a process of it.
select file_id, raised_line as line_no
from exception_verdict
where chain_uncaught and kind not in ('echo', 'ignored')
union
select file_id, line_no
from "exit"
where source <> 'subprocess'
union
select file_id, line_no
from scheduler_event
union
select file_id, line_no
from launcher_event
where event = 'restart'
