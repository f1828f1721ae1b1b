-- table: one row per system call that had not returned when the trace ended. waits_on: lock |
-- file | device | connect | socket | pipe | futex | poll | sleep | child | other.
-- waited_seconds: a lower bound, the call may be older than the trace. thread_lines,
-- never_moved: lines of its thread in the trace, and whether none is a return. lines_since:
-- lines of the trace below it. caught_in_it: the tracer found its thread in it. did_before: see
-- familiar_call; true where nobody knows, in a trace without its beginning. filesystem: where the
-- path is, if the trace tells.
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
        when s.kind = 'futex' then not regexp_matches(k.args, ', NULL(?:, |$)')
    end as has_deadline,
    -- the trace was stopped, or copied, in the middle of this call, or no thread went on after it
    -- began
    k.line_no = f.last_line
    and (b.kind in ('cut', 'call', 'unfinished') or b.said = 'detached')
    or k.line_no < f.last_line
    and coalesce(f.last_moving, 0) < k.line_no as caught_in_it,
    d.line_no is not null or f.is_torn as did_before,
    case
        when strace_takes_lock(k.syscall, k.args)
        then 'lock'
        when s.kind = 'connect'
        then 'connect'
        when contains(k.args, 'resuming interrupted')
        then 'sleep'
        when s.kind in ('futex', 'poll', 'sleep', 'child')
        then s.kind
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
        when k.fd_kind in ('stream', 'datagram', 'unix') or s.kind = 'socket'
        then 'socket'
        when k.path is not null
        then 'file'
        else 'other'
    end as waits_on
from strace_known k
left join syscall_kind s using (syscall)
left join familiar_call d on d.file_id = k.file_id and d.line_no = k.line_no
join strace_end e on e.trace = k.trace
join strace_file f on f.file_id = k.file_id
join strace_opening b on b.file_id = k.file_id and b.line_no = k.line_no
join strace_tail t on t.file_id = k.file_id and t.tid = k.tid
where k.never_returned
