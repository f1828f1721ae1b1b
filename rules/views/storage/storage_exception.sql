-- table: One row per exception message by which a program tells that a file system behind it went
-- away: error = the C library's text, errno = its number where
-- printed, path = the file where the message names it.
with
    failed_access as (
        select
            *,
            nullif(regexp_extract(message, ': ''([^'']+)''', 1), '') as path_named,
            regexp_extract(
                message,
                '(Stale file handle|Remote I/O error|Transport endpoint is not connected'
                || '|Input/output error|Cannot send after transport endpoint shutdown)',
                1
            ) as error,
            number_in(message, 'Errno ([0-9]+)\]') as errno
        from exception
        where
            class in (
                'OSError',
                'IOError',
                'RuntimeError',
                'FileNotFoundError',
                'ConnectionAbortedError',
                'SafetensorError'
            )
            and regexp_matches(
                message,
                'Errno (116|121|108|5)\]|Errno 107\] Transport endpoint is not connected: ''/'
                || '|failed with (Stale file handle|Remote I/O error)|os error 116'
            )
    )
select
    error,
    any_value(errno) as errno,
    any_value(path_named) as path,
    list_sort(list(distinct rank) filter (rank is not null)) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    min(time) as "at",
    max(time) as until,
    count(*) as times,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence
from failed_access
where error <> ''
group by error
