-- table: one row per file descriptor that a call made: the path of a file, the peer of a
-- connection. kind: file | pipe | stream | datagram | unix | connect | other. For traces
-- without -y.
select c.file_id, c.line_no, c.trace, t.pid, d.fd, d.path, d.peer, d.kind
from
    (
        select
            *,
            unnest(
                case
                    when syscall in ('open', 'openat', 'creat') and result[1] between '0' and '9'
                    then
                        [
                            {
                                'fd':try_cast(result as bigint),
                                'path':coalesce(
                                    nullif(target[2:-2], ''), strace_path(syscall, args)
                                ),
                                'peer':null::varchar,
                                'kind':'file'
                            }
                        ]
                    when syscall = 'socket' and result[1] between '0' and '9'
                    then
                        [
                            {
                                'fd':try_cast(result as bigint),
                                'path':null,
                                'peer':null,
                                'kind': case
                                    when contains(args, 'SOCK_DGRAM')
                                    then 'datagram'
                                    when contains(args, 'AF_INET')
                                    then 'stream'
                                    when contains(args, 'UNIX') or contains(args, 'AF_LOCAL')
                                    then 'unix'
                                    else 'other'
                                end
                            }
                        ]
                    when syscall = 'connect'
                    then
                        [
                            {
                                'fd':strace_fd(args),
                                'path':null,
                                'peer':strace_sockaddr(args),
                                'kind':'connect'
                            }
                        ]
                    when syscall in ('accept', 'accept4') and result[1] between '0' and '9'
                    then
                        [
                            {
                                'fd':try_cast(result as bigint),
                                'path':null,
                                'peer':strace_sockaddr(args),
                                'kind':'stream'
                            }
                        ]
                    when syscall in ('pipe', 'pipe2') and result = '0'
                    then
                        [
                            {
                                'fd':try_cast(regexp_extract(args, '^\[([0-9]+)', 1) as bigint),
                                'path':'pipe',
                                'peer':null,
                                'kind':'pipe'
                            },
                            {
                                'fd':try_cast(
                                    regexp_extract(
                                        args, '^\[[0-9]+(?:<[^>]*>)?, ([0-9]+)', 1
                                    ) as bigint
                                ),
                                'path':'pipe',
                                'peer':null,
                                'kind':'pipe'
                            }
                        ]
                end
            ) as d
        from strace_notable
    ) c
join strace_thread t on t.trace = c.trace and t.tid = c.tid
where d.fd is not null
