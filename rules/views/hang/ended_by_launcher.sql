-- table: One row per rank and line in which its launcher says that it ends the process: such a rank
-- had no time to say anything, but one that did not end until it was killed (event = forced).
select r.rank, l.event, l.file_id, l.line_no
from launcher_event l
join rank r on r.pid = l.target_pid
where l.event in ('closing', 'forced', 'killing')
