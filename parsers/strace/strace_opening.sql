-- view: one row per line in which a call begins that does not return there.
select file_id, line_no, trace, tid, at_s, kind, syscall, args, said, host, rank
from strace_event
where kind in ('unfinished', 'cut') or kind = 'call' and errno like 'ERESTART%'
union all
select
    b.file_id,
    b.line_no,
    f.trace,
    b.pid,
    strace_at(b.clock, f.first_clock),
    'unfinished',
    b.syscall,
    b.args,
    null,
    f.host,
    f.rank
from strace_begun b
join strace_file f using (file_id)
