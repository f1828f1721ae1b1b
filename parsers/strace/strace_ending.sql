-- view: one row per line in which a call returns that began on an earlier line.
select file_id, line_no, clock, args, result, target, errno, said, injected, seconds
from strace_line
where kind in ('resumed', 'rest')
union all
select
    file_id,
    line_no,
    clock,
    null,
    strace_result(syscall, returned),
    null,
    errno,
    null,
    null,
    seconds
from strace_returned
