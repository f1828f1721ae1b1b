-- When each file spoke last: the one that fell silent first is on top.
select f.path, f.host, f.rank, max(t.time) as last_time, max(t.line_no) as last_line_no
from timeline t
join file f using (file_id)
group by all
order by last_time, path
