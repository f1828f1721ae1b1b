-- view: one row per line of a trace: whose it is, of what kind, when.
select file_id, line_no, pid, kind, clock, relative
from strace_line
union all
select file_id, line_no, pid, 'call', clock, null
from strace_quick
union all
select file_id, line_no, pid, 'unfinished', clock, null
from strace_begun
union all
select file_id, line_no, pid, 'resumed', clock, null
from strace_returned
