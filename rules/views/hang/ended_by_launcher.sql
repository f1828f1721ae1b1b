-- view: Who was ended by its launcher had no time to speak.
select r.rank, l.file_id, l.line_no
from launcher_event l
join rank r on r.pid = l.target_pid
where l.event in ('closing', 'forced', 'killing')
