-- view: One row per line with a word of trouble that gave no row and needs none: part of what gave
-- one, a line of code (or a further line of one) within a traceback whose last line the log holds,
-- which tells what was raised (of a traceback that is cut behind it, the line of code is all there
-- is); or what a launcher says at every end.
with
    traceback_extent as (
        select
            file_id,
            coalesce(stream, '') as writer,
            line_no as end_line,
            max(traceback_line) as head_line
        from traceback_end
        where traceback_line is not null
        group by all
    )
select u.file_id, u.line_no
from (select *, coalesce(stream, '') as writer from unread_line) as u
asof join
    traceback_extent as t
    on t.file_id = u.file_id
    and t.writer = u.writer
    and t.end_line > u.line_no
left join traceback_frame as f on f.file_id = u.file_id and f.line_no = u.line_no - 1
where
    u.line_no > t.head_line
    -- other writers' lines may be between
    and (
        f.line_no is not null
        or starts_with(u.text, '    ')
        -- what a logger's front takes with it
        or ends_with(u.prefix, '    ')
        or is_code(u.text)
    )
union
select file_id, line_no
from unread_line
where is_end_of_step(text)
