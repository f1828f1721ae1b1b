-- table: one row per thread and file of a trace: its last line there, and whether it ended.
-- lines: how many it has; returns: how many of them say that a call returned.
select
    f.file_id,
    any_value(f.trace) as trace,
    coalesce(l.pid, f.own_tid) as tid,
    min(l.line_no) as first_line,
    max(l.line_no) as last_line,
    max_by(l.kind, l.line_no) as last_kind,
    bool_or(l.kind in ('exit', 'killed')) as ended,
    count(*) as lines,
    count(*) filter (l.kind in ('call', 'resumed')) as returns
from strace_said l
join strace_file f using (file_id)
where l.kind not in ('attached', 'detached', 'rest')
group by f.file_id, coalesce(l.pid, f.own_tid)
