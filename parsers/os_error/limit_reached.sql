-- table: one row per line of a log that tells of a limit that was reached; `limit` as in
-- refused_by_limit.
select
    'log' as source,
    case
        error
        when 'EMFILE'
        then 'open files'
        when 'EAGAIN'
        then 'processes and threads'
        when 'watches'
        then 'inotify watches'
        else error
    end as "limit",
    case
        when contains(lower(message), 'in system')
        then 'ENFILE'
        when error = 'EAGAIN' and contains(message, 'Cannot allocate')
        then 'ENOMEM'
        when error like 'E%'
        then error
    end as errno,
    number,
    message,
    os_error_path(message) as path,
    host,
    rank,
    pid,
    time,
    file_id,
    line_no
from os_error
where
    (
        error in ('EMFILE', 'EAGAIN', 'watches', 'processes and threads')
        or error = 'locked memory'
        and not contains(message, 'unlimited')
        and contains(message, 'RLIMIT_MEMLOCK is')
    )
    and not os_error_is_advice(message)
union all by name
select
    'kernel' as source,
    'open files' as "limit",
    'ENFILE' as errno,
    23 as number,
    message,
    host,
    time,
    file_id,
    line_no
from kernel_event
where kind = 'file_max'
