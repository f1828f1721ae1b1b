/*
title      = "A process sits in one system call"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang", "loss.rollback"]
about      = """
strace shows a call on a file, a lock or a connection that had not returned when the trace ended, or one that took minutes, or a lock that is tried over and over. Idle helper threads end in futex, epoll and poll and do not count; of the others only main threads count, or calls on files and locks. A main thread that waits in futex or poll, or that spins, is told as context: it waits for another thread or a collective, and only a stack dump says for which.
"""
remedy     = "Find what the call waits for: the holder of the lock (lslocks, fuser), the server behind the file system (dmesg, mount), the process at the other end of the connection."
false_positives = "A trace that was cut while a slow but healthy read was under way. A launcher that waits for its children in a read of a pipe is left out on purpose."
references = ["https://man7.org/linux/man-pages/man1/strace.1.html"]
*/
with
    waits as (
        -- a call that the tracer came upon began before
        select
            file_id,
            line_no,
            trace,
            pid,
            tid,
            main,
            rank,
            host,
            case when not caught_in_it then time end as time,
            syscall,
            args,
            fd,
            path,
            peer,
            case when waited_seconds >= 1 then waited_seconds end as seconds,
            case when stuck_writing then 'reader' else waits_on end as waits_on,
            'never returned' as how,
            0::bigint as tries,
            line_no as last_line,
            filesystem
        from
            (
                select
                    *,  -- what is written goes into a buffer; a thread that was found writing and never came back has nobody who empties it
                    syscall in ('write', 'writev', 'sendto', 'sendmsg')
                    and waits_on in ('pipe', 'socket', 'other')
                    and never_moved
                    and fd > 2
                    and (
                        coalesce(waited_seconds >= 3, lines_since >= 20) or caught_in_it
                    ) as stuck_writing
                from waiting_for_syscall
            )
        where
            injected is null
            and (
                stuck_writing
                or waits_on in ('lock', 'file')
                and (
                    coalesce(waited_seconds >= 3, lines_since >= 20)
                    or caught_in_it
                    and (waits_on = 'lock' or never_moved or not did_before)
                )
                or waits_on = 'device'
                and waited_seconds >= 30
                -- a trace attached to a process that does nothing at all has but a line or two of
                -- it
                or waits_on in ('socket', 'pipe')
                and main
                and (is_rank or processes = 1)
                and (waited_seconds >= 10 or caught_in_it and thread_lines <= 2)
                and (is_rank or syscall not like 'accept%')
            )
        union all
        -- took minutes, then went on: only where it is by far the longest of its kind
        select
            file_id,
            line_no,
            trace,
            pid,
            tid,
            main,
            rank,
            host,
            time,
            syscall,
            args,
            fd,
            path,
            peer,
            seconds,
            case when syscall = 'flock' or contains(args, 'SETLKW') then 'lock' else 'file' end,
            'returned late',
            0,
            end_line,
            null
        from strace_known
        where
            not never_returned
            and seconds >= 30
            and injected is null
            and (
                syscall = 'flock'
                or (syscall = 'fcntl' and contains(args, 'SETLKW'))
                or syscall in (
                    'open',
                    'openat',
                    'creat',
                    'mkdir',
                    'mkdirat',
                    'rename',
                    'renameat',
                    'renameat2',
                    'unlink',
                    'unlinkat',
                    'stat',
                    'lstat',
                    'newfstatat',
                    'statx',
                    'access',
                    'read',
                    'pread64',
                    'readv',
                    'write',
                    'pwrite64',
                    'writev',
                    'fsync',
                    'fdatasync',
                    'close',
                    'getdents64',
                    'ftruncate',
                    'fallocate'
                )
                and fd_kind is distinct from 'pipe'
                and fd_kind is distinct from 'stream'
                and fd_kind is distinct from 'unix'
                and fd_kind is distinct from 'other'
                and path is not null
                and not starts_with(path, '/dev/')
                and not starts_with(path, '/proc/')
            )
        union all
        select
            p.file_id,
            p.first_line,
            p.trace,
            t.pid,
            p.tid,
            t.main,
            t.rank,
            t.host,
            null,
            p.syscall,
            '',
            null,
            p.path,
            null,
            p.waited_seconds,
            p.waits_on,
            'polls',
            p.tries,
            p.last_line,
            null
        from strace_polling p
        join strace_thread t on t.trace = p.trace and t.tid = p.tid
    ),
    held as (  -- who else in these traces took the same lock and did not give it back
        select
            w.file_id,
            w.line_no,
            max(k.pid) as holder_pid,
            max_by(line_at(k.file_id, k.line_no), k.line_no) as holder_line
        from waits w
        join
            strace_known k
            on k.path = w.path
            and k.tid <> w.tid
            and k.syscall = 'flock'
            and k.result = '0'
            and contains(k.args, 'LOCK_EX')
        where
            w.waits_on = 'lock'
            and not exists (
                from strace_known u
                where
                    u.path = k.path
                    and u.tid = k.tid
                    and u.syscall = 'flock'
                    and contains(u.args, 'LOCK_UN')
                    and u.line_no > k.line_no
            )
        group by all
    ),
    grouped as (  -- many threads or ranks at the same thing are one incident
        select
            syscall,
            waits_on,
            how,
            coalesce(path, peer, '') as target,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list(distinct coalesce(pid, tid) order by coalesce(pid, tid)) filter (
                coalesce(pid, tid) > 0
            ) as pids,
            list(distinct tid order by tid) filter (tid > 0) as tids,
            max(seconds) as seconds,
            min(time) as started,
            any_value(fd) as fd,
            any_value(path) as path,
            any_value(peer) as peer,
            sum(tries)::bigint as tries,
            any_value(args) as args,
            any_value(filesystem) as filesystem,
            max(h.holder_pid) as holder_pid,
            list_concat(
                list(line_at(w.file_id, w.line_no) order by w.file_id, w.line_no)[:20],
                list(distinct line_at(w.file_id, w.last_line)) filter (w.last_line <> w.line_no)[
                    :3
                ],
                list(h.holder_line) filter (h.holder_line is not null)
            ) as evidence
        from waits w
        left join held h on h.file_id = w.file_id and h.line_no = w.line_no
        group by syscall, waits_on, how, coalesce(path, peer, '')
    ),
    kernel as (
        select
            *,
            k.times >= 2
            and k.is_python
            or k.waits_on = 'stopped'
            and k.rank is not null
            or exists (
                from stack_main as m where m.pid = k.pid and m.failure in ('no_stack', 'stopped')
            )
            or exists (from stack_verdict as v where list_contains(v.pids, k.pid)) as proven
        from
            (
                select
                    w.pid,
                    max(coalesce(w.rank, r.rank)) as rank,
                    max(coalesce(w.host, r.host)) as host,
                    any_value(w.waits_on) as waits_on,
                    any_value(w.kernel_function order by w.kernel_function) as kernel_function,
                    greatest(
                        count(*) filter (w.state is null), count(*) filter (w.state is not null)
                    ) as times,
                    list(line_at(w.file_id, w.line_no) order by w.file_id, w.line_no)[
                        :4
                    ] as evidence,
                    bool_or(r.rank is not null or contains(w.cmdline, 'python')) as is_python
                from kernel_wait as w
                left join
                    (
                        select pid, any_value(rank) as rank, any_value(host) as host
                        from
                            (
                                select pid, rank, host
                                from stack_known_rank
                                union
                                select pid, rank, host
                                from stack_main
                                where rank is not null and role = 'rank'
                            )
                        group by pid
                        having count(distinct rank) = 1
                    ) as r
                    on r.pid = w.pid
                where w.waits_on is not null
                group by w.pid, w.waits_on
            ) as k
    )
select
    case
        when len(ranks) > 0
        then
            'rank ' || ranges(ranks) || coalesce(' (pid ' || array_to_string(pids, ', ') || ')', '')
        else coalesce('pid ' || array_to_string(pids, ', '), 'The traced process')
    end || case
        how
        when 'polls'
        then
            case
                waits_on
                when 'lock'
                then ' tries the lock ' || path || ' again and again (' || tries || ' times'
                else
                    ' looks for '
                    || path
                    || ', which is not there, again and again ('
                    || tries
                    || ' times'
            end
            || coalesce(' in ' || round(seconds, 1) || ' s', '')
            || ')'
        else
            case
                waits_on
                when 'lock'
                then ' waits for a file lock: ' || syscall || coalesce(' on ' || path, '')
                when 'socket'
                then ' waits for a peer: ' || syscall || coalesce(' from ' || peer, '')
                when 'pipe'
                then ' waits for the writer of a pipe: ' || syscall
                when 'reader'
                then
                    ' cannot write: '
                    || syscall
                    || coalesce(' to ' || coalesce(peer, path), ' to descriptor ' || fd)
                    || ', which nobody reads'
                else
                    ' sits in '
                    || syscall
                    || coalesce(' on ' || path || coalesce(' (' || filesystem || ')', ''), '')
            end || case
                how
                when 'returned late'
                then ', which took ' || round(seconds, 1) || ' s'
                else
                    coalesce(' for at least ' || round(seconds, 1) || ' s', '')
                    || ', not returned when the trace ended'
            end
    end
    || coalesce('; pid ' || holder_pid || ' took it and did not give it back', '') as summary,
    case
        when how = 'polls' and waits_on <> 'lock'
        then 'possible'
        when waits_on in ('socket', 'pipe')
        then 'possible'
        else 'probable'
    end as confidence,
    case when how = 'returned late' then 'warning' end as severity,
    case
        waits_on
        when 'lock'
        then
            'Find who holds '
            || coalesce(path, 'the lock')
            || ' (lslocks, fuser -v; on NFS look at the other hosts too), end that process, remove a stale lock file.'
        when 'socket'
        then
            'Look at the process at '
            || coalesce(peer, 'the other end of the connection (ss -tnp)')
            || ': does it live, and what does it wait for?'
        when 'reader'
        then
            'Find the process that should read the other end of descriptor '
            || coalesce(fd::varchar, '')
            || ' (ls -l /proc/PID/fd, lsof) and what it waits for.'
        when 'device'
        then
            'The driver does not answer: look for Xid lines in dmesg of this host, and at nvidia-smi.'
        when 'missing file'
        then 'Find out which process should write ' || path || ', and why it did not.'
        when 'pipe'
        then 'Find the process that should write into the pipe (lsof, /proc/PID/fd).'
        else
            'Is '
            || coalesce(path, 'the file')
            || ' a pipe without a writer, or on a file system that does not answer? Look at stat, mount and dmesg of this host.'
    end as action,
    evidence,
    started as at,
    ranks,
    hosts,
    pids,
    case when len(pids) = 1 then pids[1] end as pid,
    tids,
    syscall,
    fd,
    path,
    path as fd_path,
    coalesce(path, peer) as target,
    peer,
    seconds,
    case when how = 'polls' then tries end as tries,
    waits_on,
    filesystem,
    holder_pid
from grouped
union all by name
-- context: what a main thread waits in that says nothing of why
select
    'The main thread'
    || coalesce(' of rank ' || w.rank, '')
    || coalesce(' (pid ' || nullif(w.pid, 0) || ')', '')
    || case
        w.waits_on
        when 'poll'
        then ' waits for an event in ' || w.syscall
        else
            case
                when contains(w.args, '_PRIVATE')
                then ' waits for another thread ('
                else ' waits for a lock or semaphore shared with other processes ('
            end
            || 'futex, '
            || case when w.has_deadline then 'with a time limit)' else 'no time limit)' end
    end
    || case
        when w.waited_seconds >= 1
        then ' for at least ' || round(w.waited_seconds, 1) || ' s'
        else ''
    end
    || ': a lock, a queue or a collective; a stack dump tells which' as summary,
    'info' as severity,
    'py-spy dump --native --pid '
    || coalesce(nullif(w.pid, 0)::varchar, 'PID')
    || ' on that host, twice, some seconds apart.' as action,
    [line_at(w.file_id, w.line_no)] as evidence,
    w.time as at,
    case when w.rank is not null then [w.rank] end as ranks,
    case when w.host is not null then [w.host] end as hosts,
    [w.pid] as pids,
    w.syscall,
    w.waited_seconds as seconds,
    w.waits_on
from waiting_for_syscall w
where
    w.waits_on in ('futex', 'poll')
    and w.main
    and (w.is_rank or w.processes = 1 or w.never_moved)
    and (
        w.waited_seconds >= 10
        or w.caught_in_it
        and w.thread_lines <= 2
        or w.never_moved
        and w.lines_since >= 20
    )
union all by name
select
    'The main thread'
    || coalesce(' of rank ' || t.rank, '')
    || coalesce(' (pid ' || nullif(t.pid, 0) || ')', '')
    || ' only polls: '
    || p.asking
    || ' of its '
    || p.calls
    || ' calls in the last '
    || round(p.seconds, 1)
    || ' s ask whether it may go on, mostly '
    || p.syscall
    || case
        p.syscall when 'futex' then ' with a short time limit, as for the interpreter lock' else ''
    end
    || ': it waits, however busy it looks' as summary,
    'info' as severity,
    'py-spy dump --native --pid '
    || coalesce(nullif(t.pid, 0)::varchar, 'PID')
    || ' on that host tells what it polls for.' as action,
    [line_at(p.file_id, p.first_line), line_at(p.file_id, p.last_line)] as evidence,
    case when t.rank is not null then [t.rank] end as ranks,
    case when t.host is not null then [t.host] end as hosts,
    [t.pid] as pids,
    p.syscall,
    round(p.seconds, 1) as seconds,
    p.asking as tries,
    'poll' as waits_on
from strace_pace p
join strace_thread t on t.trace = p.trace and t.tid = p.tid
union all by name
-- ps and /proc/PID/stack: a process in the kernel. One look proves nothing, everybody who reads a
-- file stands there for a moment: it was
-- seen so twice, or its dump failed for it, or others wait meanwhile.
select
    case
        when k.rank is not null
        then 'rank ' || k.rank || ' (pid ' || k.pid || ')'
        else 'pid ' || k.pid
    end || case
        when k.waits_on = 'stopped'
        then ' is stopped (state T)'
        else
            ' waits in the kernel for '
            || k.waits_on
            || ' ('
            || k.kernel_function
            || '), uninterruptible (state D)'
    end as summary,
    'probable' as confidence,
    case
        when k.waits_on = 'stopped'
        then
            'Find out who stopped it (a debugger, kill -STOP, job control) and continue it: kill -CONT '
            || k.pid
            || '.'
        else
            'Look at '
            || k.waits_on
            || ' on this host: dmesg, mount, a small read; a process in state D cannot be killed before the call returns.'
    end as action,
    k.evidence,
    case when k.rank is not null then [k.rank] end as ranks,
    case when k.host is not null then [k.host] end as hosts,
    [k.pid] as pids,
    k.pid,
    k.kernel_function,
    k.waits_on,
    case
        when k.waits_on = 'stopped' then 'T (stopped)' else 'D (uninterruptible)'
    end as process_state
from kernel as k
where k.proven
union all by name
-- once only: context
select
    case
        when len(pids) = 1
        then 'pid ' || pids[1] || ' was'
        else
            len(pids)
            || ' processes (pids '
            || array_to_string(pids[:8], ', ')
            || case when len(pids) > 8 then ', …' else '' end
            || ') were'
    end
    || ' seen once in a wait in the kernel for '
    || waits_on
    || ' ('
    || kernel_function
    || '): everybody who reads a file stands there for a moment' as summary,
    'info' as severity,
    'cat /proc/'
    || pids[1]
    || '/stack again a minute later: the same function then is a hang. Look at '
    || waits_on
    || ' on this host: dmesg, mount, a small read.' as action,
    evidence,
    hosts,
    pids,
    case when len(pids) = 1 then pids[1] end as pid,
    kernel_function,
    waits_on
from
    (
        select
            waits_on,
            kernel_function,
            list(pid order by pid) as pids,
            list(distinct host) filter (host is not null) as hosts,
            flatten(list(evidence order by pid))[:6] as evidence
        from kernel
        where not proven and waits_on not in ('stopped', 'a block device')
        group by waits_on, kernel_function
    )
