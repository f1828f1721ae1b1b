-- table: one row per loop that waits without blocking: a thread tries the same lock, or looks
-- for the same missing file, again and again until the trace ends. errno: where the answer can
-- never be another one, as the file system does not lock files. fd: where the path is not known.
with
    failed as (
        select
            *,
            split_part(args, '"', 2) as quoted,
            syscall in ('flock', 'fcntl')
            and errno in ('ENOSYS', 'ENOLCK', 'EOPNOTSUPP', 'ENOTSUP') as is_refused
        from strace_line l
        where
            l.kind = 'call'
            and (
                l.errno = 'ENOENT'
                and l.syscall in (
                    'open',
                    'openat',
                    'stat',
                    'lstat',
                    'newfstatat',
                    'statx',
                    'access',
                    'faccessat',
                    'faccessat2'
                )
                or l.errno = 'EEXIST'
                and l.syscall in ('open', 'openat', 'mkdir', 'link', 'linkat', 'symlink')
                or l.errno in ('EAGAIN', 'EACCES', 'ENOSYS', 'ENOLCK', 'EOPNOTSUPP', 'ENOTSUP')
                and (l.syscall = 'flock' or l.syscall = 'fcntl' and contains(l.args, 'SETLK'))
            )
    ),
    -- A search path is looked through once: most of what fails never fails so often, and its path
    -- need not be known.
    again as (
        select file_id, quoted
        from failed
        group by all
        having count(*) >= case when bool_and(is_refused) then 4 else 20 end
    ),
    repeated as (
        select
            l.*,
            f.trace,
            coalesce(l.pid, f.own_tid) as tid,
            case when l.syscall in ('flock', 'fcntl') then strace_fd(l.args) end as lock_fd,
            coalesce(strace_at(l.clock, f.first_clock), e.elapsed) as at_s
        from failed l
        semi join again a on a.file_id = l.file_id and a.quoted = l.quoted
        join strace_file f on f.file_id = l.file_id
        left join strace_elapsed e on e.file_id = l.file_id and e.line_no = l.line_no
    ),
    opened as (  -- without -y: what the descriptor was opened on
        select r.file_id, r.line_no, o.path
        from
            (
                select r.file_id, r.line_no, r.lock_fd, t.pid as process
                from repeated r
                join strace_thread t on t.trace = r.trace and t.tid = r.tid
                where r.lock_fd is not null and strace_fd_is(r.args) is null
            ) r
        asof join
            (from fd where path is not null) o
            on o.file_id = r.file_id
            and o.pid is not distinct from r.process
            and o.fd = r.lock_fd
            and o.line_no < r.line_no
    ),
    tries as (
        select
            r.file_id,
            r.trace,
            r.tid,
            r.line_no,
            r.syscall,
            case when r.is_refused then r.errno end as errno,
            case
                when r.lock_fd is not null
                then coalesce(strace_fd_is(r.args), o.path)
                else strace_path(r.syscall, r.args)
            end as path,
            r.lock_fd,
            r.at_s,
            case when r.errno = 'ENOENT' then 'missing file' else 'lock' end as waits_on
        from repeated r
        left join opened o using (file_id, line_no)
    ),
    loops as (
        select
            file_id,
            trace,
            tid,
            path,
            case when path is null then lock_fd end as fd,
            errno,
            waits_on,
            any_value(syscall) as syscall,
            count(*) as tries,
            min(line_no) as first_line,
            max(line_no) as last_line,
            min(at_s) as began,
            max(at_s) as ended
        from tries
        where
            (path <> '' or path is null and lock_fd is not null)
            and not coalesce(starts_with(path, '/proc/') or starts_with(path, '/sys/'), false)
        group by all
        having count(*) >= case when errno is null then 20 else 4 end
    ),
    late as (  -- still at it when the trace ended
        select p.*
        from loops p
        join strace_tail t on t.file_id = p.file_id and t.tid = p.tid
        where
            not t.ended
            and t.last_line - p.last_line
            <= greatest(400, 3 * (p.last_line - p.first_line) / p.tries)
            -- and did not get it in the end
            and not exists (
                from strace_line s
                where
                    p.syscall in ('flock', 'fcntl')
                    and s.syscall = p.syscall
                    and s.kind = 'call'
                    and s.result = '0'
                    and s.file_id = p.file_id
                    and s.line_no > p.last_line
            )
    ),
    between as (  -- what else the thread did meanwhile: a loop that only waits does little
        select p.file_id, p.tid, p.first_line, count(*) as lines
        from late p
        join strace_file f using (file_id)
        join
            strace_said l
            on l.file_id = p.file_id
            and l.line_no >= p.first_line
            and coalesce(l.pid, f.own_tid) = p.tid
        group by all
    ),
    pause as (  -- what it waited for, by its own limits, between two tries
        select
            p.file_id,
            p.tid,
            p.first_line,
            count(*) as pauses,
            case when count(l.limit_seconds) = count(*) then sum(l.limit_seconds) end as seconds
        from late p
        join strace_file f using (file_id)
        join strace_pause l on l.file_id = p.file_id and coalesce(l.pid, f.own_tid) = p.tid
        where l.line_no between p.first_line and p.last_line
        group by all
    ),
    timed as (
        select
            p.*,
            coalesce(i.pauses, 0) as pauses,
            round(
                coalesce(e.at_s - p.began, case when i.pauses >= p.tries / 2 then i.seconds end), 3
            ) as waited_seconds
        from late p
        join between b using (file_id, tid, first_line)
        left join pause i using (file_id, tid, first_line)
        join strace_end e on e.trace = p.trace
        where b.lines <= 12 * p.tries
    )
select * exclude (pauses)
from timed
where
    -- of a descriptor that nothing is known of, its pauses tell that it is one wait
    (path is not null or 2 * pauses >= tries)
    and case
        when errno is not null
        then pauses >= tries - 1 or coalesce(waited_seconds >= 3, false)
        when waited_seconds is null
        then tries >= 60 or syscall not in ('flock', 'fcntl')
        else waited_seconds >= 3
    end
