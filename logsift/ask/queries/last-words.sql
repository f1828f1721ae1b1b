-- The last line of every rank that says anything, and how the rank ended; the one that fell
-- silent first is on top.
select r.rank, r.host, r.fate, r.step, r.op, r.seq, r.last_time, f.path, r.last_line_no
from rank_fate r
left join file f on f.file_id = r.last_file_id
order by r.last_time nulls last, r.rank
