-- table: one row per system call that keeps its thread from going on.
-- kind: blocked (had not returned when the trace ended) | late (returned after half a minute) |
-- retried (a lock tried, or a missing file looked for, over and over until the trace ended).
-- waits_on: lock | file | descriptor (of which nothing is known) | device | socket | pipe |
-- reader (of what it writes) | missing file.
-- last_line: where it was last seen; tries: how often, where it was retried; errno: why it is in
-- vain for ever, where it was retried, if it tells; holder_pid: who took
-- the same lock in these traces and did not release it, in holder_line.
with
    unfinished as (
        -- What is written goes into a buffer: a thread found writing that never came back has
        -- nobody who empties it.
        select
            *,
            coalesce(waited_seconds >= 3, lines_since >= 20) as is_long,
            syscall in ('write', 'writev', 'sendto', 'sendmsg')
            and waits_on in ('pipe', 'socket', 'other')
            and never_moved
            and fd > 2
            and (is_long or caught_in_it) as writes_to_nobody,
            -- another trace of the process ended in the same
            caught_in_it
            and count_if(caught_in_it) over (partition by pid, syscall, path, fd) > 1
            and path is not null as caught_again
        from waiting_for_syscall
        where injected is null
    ),
    blocked as (
        select
            * exclude (waits_on),
            'blocked' as kind,
            case
                when writes_to_nobody
                then 'reader'
                when waits_on = 'other'
                then 'descriptor'
                else waits_on
            end as waits_on,
            -- a call that the tracer came upon began before
            case when not caught_in_it then time end as began,
            case when waited_seconds >= 1 then waited_seconds end as lasted,
            line_no as last_line
        from unfinished
        where
            writes_to_nobody
            or waits_on in ('lock', 'file')
            and (
                is_long
                or caught_again
                or caught_in_it
                and (waits_on = 'lock' or never_moved or not did_before)
            )
            or waits_on = 'device'
            and waited_seconds >= 30
            -- all there is of the trace is this call
            or waits_on = 'other'
            and syscall in ('read', 'readv', 'pread64', 'preadv', 'fsync', 'fdatasync')
            and fd > 2
            and path is null
            and never_moved
            and caught_in_it
            and main
            and processes = 1
            and thread_lines <= 2
            -- a trace attached to a process that does nothing at all has but a line or two of it
            or waits_on in ('socket', 'pipe')
            and main
            and (is_rank or processes = 1)
            and (
                waited_seconds >= 10
                or (caught_in_it or never_moved and waited_seconds >= 3)
                and thread_lines <= 2
            )
            and (is_rank or syscall not like 'accept%')
    ),
    late as (
        select
            c.*,
            'late' as kind,
            case
                when strace_takes_lock(c.syscall, c.args)
                then 'lock'
                when c.path is null
                then 'descriptor'
                else 'file'
            end as waits_on,
            c.time as began,
            c.seconds as lasted,
            c.end_line as last_line
        from strace_known c
        left join syscall_kind k using (syscall)
        where
            not c.never_returned
            and c.seconds >= 30
            and c.injected is null
            and (
                strace_takes_lock(c.syscall, c.args)
                or k.kind = 'file'
                and coalesce(c.fd_kind, '') not in ('pipe', 'stream', 'unix', 'other')
                and c.path is not null
                and not starts_with(c.path, '/dev/')
                and not starts_with(c.path, '/proc/')
                -- Open before the trace began: what is read in such pieces, or at an offset, is
                -- no message.
                or c.path is null
                and c.fd > 2
                and c.fd_kind is null
                and (
                    c.syscall in ('pread64', 'preadv', 'pwrite64', 'pwritev', 'fsync', 'fdatasync')
                    or c.syscall in ('read', 'readv')
                    and try_cast(c.result as bigint) >= 65536
                )
            )
    ),
    slow_step as (
        select
            c.file_id,
            c.line_no,
            c.line_no as last_line,
            f.trace,
            t.pid,
            t.tid,
            t.main,
            t.rank,
            t.host,
            'late' as kind,
            c.syscall,
            c.args,
            c.fd,
            'descriptor' as waits_on,
            c.gap_seconds as lasted
        from strace_slow_step c
        join strace_file f using (file_id)
        join strace_thread t on t.trace = f.trace and t.tid = f.own_tid
    ),
    retried as (
        select
            p.* exclude (began),
            'retried' as kind,
            t.pid,
            t.main,
            t.rank,
            t.host,
            '' as args,
            p.first_line as line_no,
            p.waited_seconds as lasted
        from strace_polling p
        join strace_thread t on t.trace = p.trace and t.tid = p.tid
    ),
    call as (
        from blocked
        union all by name
        from late
        union all by name
        from slow_step
        union all by name
        from retried
    ),
    holder as (
        select
            c.file_id,
            c.line_no,
            max(h.pid) as pid,
            max_by(line_at(h.file_id, h.line_no), h.line_no) as line
        from call c
        join held_lock h on h.path = c.path and h.tid <> c.tid
        where c.waits_on = 'lock'
        group by c.file_id, c.line_no
    )
select
    c.file_id,
    c.line_no,
    c.last_line,
    c.trace,
    c.pid,
    c.tid,
    c.rank,
    c.host,
    c.kind,
    c.syscall,
    c.args,
    c.fd,
    c.path,
    c.peer,
    c.filesystem,
    c.waits_on,
    c.began,
    c.lasted,
    c.tries,
    case when c.kind = 'retried' then c.errno end as errno,
    h.pid as holder_pid,
    h.line as holder_line
from call c
left join holder h using (file_id, line_no)
