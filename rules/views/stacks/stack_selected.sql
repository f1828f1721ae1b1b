-- table: one row per thread that somebody chose in a debugger's session: the line that says so
-- (thread_line), and where the stack begins that was asked for then (at), if one was.
with
    chosen as (
        select t.file_id, t.line_no as thread_line
        from stack_thread as t
        join
            stack_mark as m
            on m.file_id = t.file_id
            and m.line_no = t.line_no - 1
            and m.kind = 'debugger'
            and regexp_matches(m.said, 'gdb\) thread [0-9.]+$')
        where t.source_kind = 'gdb'
    ),
    asked as (  -- what is printed below the command is the stack of the thread chosen last
        select f.file_id, f.line_no as at, c.thread_line
        from stack_frame as f
        join
            stack_mark as m
            on m.file_id = f.file_id
            and m.line_no = f.line_no - 1
            and m.kind = 'debugger'
            and regexp_matches(m.said, 'gdb\) (?:bt|backtrace|where)')
        asof join chosen as c on c.file_id = f.file_id and c.thread_line < f.line_no
        where
            f.depth = 1
            and f.thread_line is null
            and f.bare_line is null
            -- another process
            and not exists (
                from stack_mark as n
                where
                    n.kind = 'debugger'
                    and starts_with(n.said, '[')
                    and n.file_id = f.file_id
                    and n.line_no between c.thread_line and f.line_no
            )
    )
select c.file_id, c.thread_line, min(a.at) as at
from chosen as c
left join asked as a using (file_id, thread_line)
group by c.file_id, c.thread_line
