-- table: one row per line that broke in the middle of a call, with the line of its rest if that
-- follows (end_line).
with
    parts as (
        select
            file_id,
            line_no,
            kind,
            lead(kind) over file as next_kind,
            lead(line_no) over file as next_line
        from strace_line
        where kind in ('cut', 'rest')
        window file as (partition by file_id order by line_no)
    )
select
    p.file_id,
    p.line_no,
    case
        when next_kind = 'rest' and next_line - p.line_no <= 3 and r.result is not null
        then next_line
    end as end_line,
    not (r.result is not null and next_line - p.line_no <= 3)
    and not t.ended
    and t.last_line = p.line_no as never_returned
from parts p
join strace_line l using (file_id, line_no)
join strace_file f using (file_id)
join strace_tail t on t.file_id = p.file_id and t.tid = coalesce(l.pid, f.own_tid)
left join strace_line r on r.file_id = p.file_id and r.line_no = p.next_line and r.kind = 'rest'
where
    p.kind = 'cut'
    and not exists (from strace_halves h where h.file_id = p.file_id and h.line_no = p.line_no)
