-- table: One row per error of the system by which a program tells that a file system behind it went
-- away: error = the C library's text, errno = its number, path = the file where the message names
-- it; files, folder = how many files fail and what they are all in, where they are several;
-- on_medium: that is a disk of the machine itself. Not where the kernel tells of a disk of the
-- machine: what failed is that.
with
    failure as (
        select
            'exception' as teller,
            x.text as error,
            x.errno,
            x.path,
            e.rank,
            e.host,
            e.time,
            e.file_id,
            e.line_no
        from exception e
        join exception_errno x using (file_id, line_no)
        where
            (
                x."class" = 'storage'
                or x."class" = 'mount'
                and (
                    x.path like '/%'
                    -- what is done to files, and not to sockets
                    or e.function in (
                        'write',
                        'writelines',
                        'flush',
                        'open',
                        'fsync',
                        'mkdir',
                        'makedirs',
                        'listdir',
                        'scandir',
                        'copyfileobj',
                        'rename',
                        'replace',
                        'unlink',
                        'truncate'
                    )
                )
            )
            and e.class in (
                'OSError',
                'IOError',
                'RuntimeError',
                'FileNotFoundError',
                'ConnectionAbortedError',
                'SafetensorError',
                'panic'
            )
            and (x.text <> 'Input/output error' or not exists (from broken_disk))
        union all
        -- of the shell, of C; of a writer of checkpoints that logs what it caught
        select
            o.error,
            x.text,
            x.errno,
            os_error_path(o.message),
            o.rank,
            o.host,
            o.time,
            o.file_id,
            o.line_no
        from os_error o
        join
            errno x
            on case
                o.error
                when 'storage'
                then x."class" in ('storage', 'mount') and ends_with(o.message, x.text)
                when 'checkpoint_storage'
                then x.errno = o.number
            end
        where
            case
                o.error
                when 'storage'
                then
                    -- some files of the system cannot be read, in good runs too
                    not regexp_matches(o.message, '[ ''"](?:/sys|/proc|/dev)/')
                    and (
                        exists (from trouble_sign)
                        or x.text <> 'Input/output error'
                        or contains(o.message, '; ')
                    )
                -- what a writer sends over the network is another's
                else
                    not regexp_matches(
                        o.message,
                        '(?i)https?:|upload|socket|\bs3\b|\bgcs\b|\burl\b|bucket|request'
                        || '|wandb|mlflow'
                    )
            end
            and not exists (
                from metric_span m where m.file_id = o.file_id and m.last_line > o.line_no
            )
            and not exists (from exception e where e.file_id = o.file_id and e.line_no = o.line_no)
            and (x.text <> 'Input/output error' or not exists (from broken_disk))
        union all
        -- of system calls on files that were open or are named
        select 'strace', x.text, x.errno, c.path, c.rank, c.host, c.time, c.file_id, c.line_no
        from strace_known c
        join errno x on x.name = c.errno
        where
            c.errno in ('EIO', 'ESTALE')
            and c.injected is null
            and coalesce(c.fd_kind, '') not in ('pipe', 'stream', 'unix', 'other')
            and (c.fd > 2 or c.path is not null)
            and coalesce(
                not regexp_matches(c.path, '^(?:/dev/|/proc/|/sys/|(?:socket|pipe|anon_inode):)'),
                true
            )
            and c.syscall <> 'ioctl'
    )
select
    error,
    any_value(errno) as errno,
    any_value(path order by file_id, line_no) as path,
    case when teller = 'exception' then nullif(count(distinct path), 1) end as files,
    case when files > 1 then common_folder(min(path), max(path)) end as folder,
    case
        when teller = 'exception' and bool_and(regexp_matches(path, '^(?:/run)?/media/')) then true
    end as on_medium,
    list_sort(list(distinct rank) filter (rank is not null)) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    min(time) as "at",
    max(time) as until,
    count(*) as times,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence
from failure
group by error, teller
