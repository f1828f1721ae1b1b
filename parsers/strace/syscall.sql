-- view: one row per system call, halves joined: start and seconds on the clock of the trace,
-- path and peer as far as the line itself tells (see fd for traces without -y), never_returned
-- where the thread was still in it at the end.
select
    c.file_id,
    c.line_no,
    c.end_line,
    make_timestamp(
        (
            epoch_us(case when c.at_s < 100000 then f.day else timestamp '1970-01-01' end)
            + c.at_s * 1000000
        )::bigint
    ) as time,
    c.trace,
    t.pid,
    c.tid,
    t.rank,
    coalesce(t.host, c.host) as host,
    c.syscall,
    c.args,
    c.at_s as start,
    c.seconds,
    c.result,
    c.errno,
    strace_fd(c.args) as fd,
    coalesce(
        strace_path(c.syscall, c.args),
        case when strace_fd_is(c.args)[1] = '/' then strace_fd_is(c.args) end
    ) as path,
    coalesce(strace_sockaddr(c.args), strace_far_end(strace_fd_is(c.args))) as peer,
    c.never_returned
from
    (
        from strace_call(true)
        union all
        from strace_quick_call
    ) c
join strace_thread t on t.trace = c.trace and t.tid = c.tid
join strace_file f on f.file_id = c.file_id
