--- Every file: what read it, how much of it was understood, and why it was not.
select
    path,
    bytes,
    lines,
    not_understood - (
        select count(distinct line_no) from unread_within u where u.file_id = file.file_id
    ) as not_understood,
    host,
    rank,
    grammar,
    reader,
    why
from file
order by bytes desc, path
