-- view: one row per everyday call that fits in one line, in the shape of strace_call.
select
    q.file_id,
    q.line_no,
    q.line_no as end_line,
    f.trace,
    coalesce(q.pid, f.own_tid) as tid,
    strace_at(q.clock, f.first_clock) as at_s,
    q.syscall,
    q.args,
    strace_result(q.syscall, q.returned) as result,
    null::varchar as target,
    q.errno,
    null::varchar as said,
    null::varchar as injected,
    q.seconds,
    false as never_returned,
    f.host,
    f.rank
from strace_quick q
join strace_file f using (file_id)
