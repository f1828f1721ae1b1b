-- Exceptions in the order they were raised: who, what, and where in the program.
select e.time, e.rank, e.host, e.class, e.message, e.file, e.line, e.function, f.path, e.line_no
from exception e
left join file f using (file_id)
order by e.time nulls last, f.path, e.line_no
