-- view: one row per line of strace_line: what the lines that are kept whole say, with the trace,
-- the thread and the clock they belong to.
select
    l.file_id,
    l.line_no,
    f.trace,
    case
        when l.kind in ('attached', 'detached') then l.pid else coalesce(l.pid, f.own_tid)
    end as tid,
    coalesce(strace_at(l.clock, f.first_clock), e.elapsed) as at_s,
    l.kind,
    l.syscall,
    l.args,
    l.result,
    l.target,
    l.errno,
    l.said,
    l.injected,
    l.seconds,
    l.signal_name,
    l.host,
    l.rank
from strace_line l
join strace_file f using (file_id)
left join strace_elapsed e on e.file_id = l.file_id and e.line_no = l.line_no
