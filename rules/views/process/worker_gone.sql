-- view: One row per report of Ray, of systemd or of who keeps processes alive that one is gone, in
-- the columns of exit. A line without a pid of its own has that of the process that tells of it,
-- which goes on.
select *
from "exit" x
where
    source in ('ray', 'keeper', 'systemd')
    and not exists (
        from unread_line u
        join "exit" t on t.file_id = u.file_id and t.pid = u.pid
        where t.source in ('ray', 'keeper') and t.pid = x.pid and u.line_no > t.line_no
    )
