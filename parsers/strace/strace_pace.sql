-- table: one row per main thread that in the last half minute of its trace did nothing but ask
-- whether it may go on: it waits, however busy it looks. calls: of that time; asking: how many
-- of them are polls, sleeps, yields; syscall: the most usual.
with
    mains as (
        select t.*, l.file_id, e.at_s as end_s
        from strace_thread t
        join strace_tail l on l.trace = t.trace and l.tid = t.tid
        join strace_end e on e.trace = t.trace
        where t.main and not l.ended and (t.is_rank or t.processes = 1)
    ),
    calls as (
        select
            m.trace,
            m.tid,
            m.file_id,
            q.line_no,
            strace_at(q.clock, f.first_clock) as at_s,
            q.syscall,
            q.syscall in (
                'sched_yield',
                'nanosleep',
                'clock_nanosleep',
                'clock_gettime',
                'gettimeofday',
                'getpid',
                'futex'
            )
            or q.errno in ('EAGAIN', 'ETIMEDOUT')
            or q.syscall like 'epoll_%wait'
            and q.returned = 0 as asks,
            q.syscall = 'futex' and q.errno is distinct from 'ETIMEDOUT' as woke
        from mains m
        join strace_file f on f.file_id = m.file_id
        join
            (
                select file_id, line_no, pid, clock, syscall, returned, errno
                from strace_quick
                union all
                select file_id, line_no, pid, clock, syscall, returned, errno
                from strace_returned
            ) q
            on q.file_id = m.file_id
            and (q.pid = m.tid or q.pid is null)
            and (q.clock is null or strace_at(q.clock, f.first_clock) >= m.end_s - 30)
        union all
        select
            m.trace,
            m.tid,
            m.file_id,
            q.line_no,
            strace_at(q.clock, f.first_clock),
            q.syscall,
            q.syscall in ('sched_yield', 'nanosleep', 'clock_nanosleep', 'futex')
            or q.errno in ('EAGAIN', 'ETIMEDOUT')
            or q.said = 'Timeout'
            or q.syscall like 'epoll_%wait'
            and q.result = '0',
            q.syscall = 'futex' and q.errno is distinct from 'ETIMEDOUT'
        from mains m
        join strace_file f on f.file_id = m.file_id
        join
            strace_line q
            on q.file_id = m.file_id
            and (q.pid = m.tid or q.pid is null)
            and q.kind in ('call', 'resumed')
            and (q.clock is null or strace_at(q.clock, f.first_clock) >= m.end_s - 30)
    )
select
    trace,
    tid,
    file_id,
    count(*)::bigint as calls,
    mode(syscall) filter (asks) as syscall,
    count(*) filter (asks)::bigint as asking,
    min(line_no) filter (asks) as first_line,
    max(line_no) filter (asks) as last_line,
    max(at_s) - min(at_s) as seconds
from calls
group by trace, tid, file_id
having
    count(*) >= 50
    and count(*) filter (asks) >= 0.95 * count(*)
    and count(*) filter (woke) <= 0.6 * count(*)
    -- A thousand yields and nothing between them are a busy wait, however short the trace.
    and (
        max(at_s) - min(at_s) >= 3
        or count(*) >= 1000
        and count(*) filter (syscall = 'sched_yield') >= 0.99 * count(*)
    )
