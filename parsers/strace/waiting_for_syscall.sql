-- table: System calls that had not returned when the trace ended, by thread; waits_on = lock | file
-- | device | connect | socket | pipe | futex | poll | sleep | child | other, waited_seconds a lower
-- bound. What each thread still sat in when the trace ended. seconds is a lower bound: the call may
-- be older than the trace.
select
    k.*,
    round(e.at_s - k.at_s, 3) as waited_seconds,
    t.lines as thread_lines,
    t.returns = 0 as never_moved,
    f.last_line - k.line_no as lines_since,
    (
        select max_by(m.filesystem, length(m.path))
        from strace_filesystem m
        where m.trace = k.trace and (k.path = m.path or starts_with(k.path, m.path || '/'))
    ) as filesystem,
    -- under FUTEX_WAIT the last argument but a mask is how long to wait
    case
        when k.syscall like 'futex%' then not regexp_matches(k.args, ', NULL(?:, |$)')
    end as has_deadline,
    -- the trace was stopped, or copied, in the middle of this call, or no thread went on after it
    -- began
    k.line_no = f.last_line
    and (b.kind in ('cut', 'call') or b.said = 'detached')
    or k.line_no < f.last_line
    and coalesce(f.last_moving, 0) < k.line_no as caught_in_it,
    -- what this thread did to the same file before: a busy program is always in the middle of
    -- something
    exists (
        from strace_quick q
        where
            q.file_id = k.file_id
            and q.line_no < k.line_no
            and q.syscall = k.syscall
            and coalesce(q.pid, f.own_tid) = b.tid
            and starts_with(k.args, q.args)
    )
    or exists (
        from strace_line q
        where
            q.kind = 'call'
            and q.errno is null
            and q.file_id = k.file_id
            and q.line_no < k.line_no
            and q.syscall = k.syscall
            and coalesce(q.pid, f.own_tid) = b.tid
            and case
                when k.fd is not null
                then strace_fd(q.args) = k.fd
                else contains(q.args, '"' || k.path || '"')
            end
    )
    or exists (
        from fd o
        where
            o.trace = k.trace
            and o.line_no < k.line_no
            and o.path = k.path
            and k.syscall in ('open', 'openat', 'creat')
    )
    or k.syscall in ('open', 'openat', 'creat')
    and 3 <= (
        select count(*)
        from fd o
        where
            o.trace = k.trace
            and o.line_no < k.line_no
            and regexp_replace(o.path, '[^/]*$', '') = regexp_replace(k.path, '[^/]*$', '')
    )
    or regexp_matches(
        k.path,
        '\.(?:py|pyc|so)(?:\.[0-9.]+)?$|^/(?:usr|lib|lib64|etc)/|/site-packages/|/dist-packages/'
    ) as did_before,
    case
        when k.syscall = 'flock' or (k.syscall = 'fcntl' and contains(k.args, 'SETLKW'))
        then 'lock'
        when k.syscall = 'connect'
        then 'connect'
        when k.syscall = 'restart_syscall' or contains(k.args, 'resuming interrupted')
        then 'sleep'
        when k.syscall like 'futex%'
        then 'futex'
        when
            k.syscall in (
                'poll',
                'ppoll',
                'select',
                'pselect6',
                'epoll_wait',
                'epoll_pwait',
                'epoll_pwait2',
                'io_getevents'
            )
        then 'poll'
        when
            k.syscall in (
                'nanosleep',
                'clock_nanosleep',
                'pause',
                'rt_sigsuspend',
                'rt_sigtimedwait',
                'rt_sigtimedwait_time64',
                'sched_yield'
            )
        then 'sleep'
        when k.syscall in ('wait4', 'waitid')
        then 'child'
        when
            starts_with(k.path, '/dev/nvidia')
            or starts_with(k.path, '/dev/infiniband')
            or starts_with(k.path, '/dev/kfd')
            or starts_with(k.path, '/dev/dri')
        then 'device'
        when
            starts_with(k.path, '/dev/')
            and not starts_with(k.path, '/dev/shm')
            or starts_with(k.path, '/proc/')
            or starts_with(k.path, '/sys/')
        then 'other'
        when k.fd_kind = 'pipe'
        then 'pipe'
        when
            k.fd_kind in ('stream', 'datagram', 'unix')
            or k.syscall
            in ('recvfrom', 'recvmsg', 'recv', 'accept', 'accept4', 'sendto', 'sendmsg')
        then 'socket'
        when k.path is not null
        then 'file'
        else 'other'
    end as waits_on
from strace_known k
join strace_end e on e.trace = k.trace
join strace_file f on f.file_id = k.file_id
join strace_opening b on b.file_id = k.file_id and b.line_no = k.line_no
join strace_tail t on t.file_id = k.file_id and t.tid = k.tid
where k.never_returned
