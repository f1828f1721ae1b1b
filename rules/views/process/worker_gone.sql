-- view: One row per report of Ray, of systemd or of who keeps processes alive that one is gone, in
-- the columns of exit. A line without a pid of its own has that of the process that tells of it,
-- which goes on. Not of one whose task was tried again, after which its driver went on.
select *
from "exit" x
where
    source in ('ray', 'keeper', 'systemd')
    and not exists (
        from unread_line u
        join "exit" t on t.file_id = u.file_id and t.pid = u.pid
        where t.source in ('ray', 'keeper') and t.pid = x.pid and u.line_no > t.line_no
    )
    and not exists (
        from plain_line l
        join told_sense r on r.sentence = l.sentence and r.sense = 'retried'
        join file f on f.file_id = l.file_id
        where
            l.file_id = x.file_id
            and abs(l.line_no - x.line_no) <= 3
            and f.lines - x.line_no > 20
            and not exists (from exception e where e.file_id = x.file_id and e.line_no > x.line_no)
    )
