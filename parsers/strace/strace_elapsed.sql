-- table: one row per line of a trace with -r alone: the seconds since the start. Such a line
-- tells the time since the line before it.
select file_id, line_no, sum(relative) over (partition by file_id order by line_no) as elapsed
from strace_line
where relative is not null and clock is null
