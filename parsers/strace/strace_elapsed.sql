-- table: Under -r alone a line tells the time since the line before: added up, the time since the
-- start.
select file_id, line_no, sum(relative) over (partition by file_id order by line_no) as elapsed
from strace_line
where relative is not null and clock is null
