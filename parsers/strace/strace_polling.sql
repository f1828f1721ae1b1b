-- table: one row per loop that waits without blocking: a thread tries the same lock, or looks
-- for the same missing file, again and again until the trace ends.
with
    failed as (
        select *, split_part(args, '"', 2) as quoted
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
                or l.errno in ('EAGAIN', 'EACCES')
                and l.syscall in ('flock', 'fcntl')
            )
    ),
    -- A search path is looked through once: most of what fails never fails so often, and its path
    -- need not be known.
    again as (select file_id, quoted from failed group by all having count(*) >= 20),
    tries as (
        select
            l.file_id,
            f.trace,
            coalesce(l.pid, f.own_tid) as tid,
            l.line_no,
            l.syscall,
            l.errno,
            case
                when l.errno = 'EAGAIN'
                then strace_fd_is(l.args)
                else strace_path(l.syscall, l.args)
            end as path,
            coalesce(strace_at(l.clock, f.first_clock), e.elapsed) as at_s,
            case when l.errno = 'ENOENT' then 'missing file' else 'lock' end as waits_on
        from failed l
        semi join again a on a.file_id = l.file_id and a.quoted = l.quoted
        join strace_file f on f.file_id = l.file_id
        left join strace_elapsed e on e.file_id = l.file_id and e.line_no = l.line_no
    ),
    loops as (
        select
            file_id,
            trace,
            tid,
            path,
            waits_on,
            any_value(syscall) as syscall,
            count(*) as tries,
            min(line_no) as first_line,
            max(line_no) as last_line,
            min(at_s) as began,
            max(at_s) as ended
        from tries
        where
            path is not null
            and path <> ''
            and not starts_with(path, '/proc/')
            and not starts_with(path, '/sys/')
        group by all
        having count(*) >= 20
    ),
    late as (  -- still at it when the trace ended
        select p.*
        from loops p
        join strace_tail t on t.file_id = p.file_id and t.tid = p.tid
        where
            not t.ended
            and t.last_line - p.last_line
            <= greatest(400, 3 * (p.last_line - p.first_line) / p.tries)
    ),
    between as (  -- what else the thread did meanwhile: a loop that only waits does little
        select p.file_id, p.tid, p.path, p.waits_on, count(*) as lines
        from late p
        join strace_file f using (file_id)
        join
            strace_said l
            on l.file_id = p.file_id
            and l.line_no >= p.first_line
            and coalesce(l.pid, f.own_tid) = p.tid
        group by all
    )
select p.*, round(e.at_s - p.began, 3) as waited_seconds
from late p
join
    between b
    on b.file_id = p.file_id and b.tid = p.tid
    and b.path = p.path
    and b.waits_on = p.waits_on
join strace_end e on e.trace = p.trace
where b.lines <= 12 * p.tries and coalesce(e.at_s - p.began, 60) >= 3
