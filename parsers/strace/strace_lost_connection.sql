-- table: one row per open connection of a trace that the network or the other end broke (errno),
-- where that is the last that happens to it: nothing comes or goes on its descriptor after that,
-- the process makes no other one to the same peer, its trace ends soon, and it does not end well.
-- ended_badly: the process failed then. Datagrams fail one by one and are not meant.
with
    broken as (
        select *, count(*) over (partition by trace, pid, fd) as times
        from strace_known
        where
            injected is null
            and (
                syscall in ('recvfrom', 'recvmsg', 'recv', 'sendto', 'sendmsg', 'send')
                or syscall in ('read', 'readv', 'write', 'writev')
                -- a file on a server that does not answer may say so, too
                and (errno <> 'ETIMEDOUT' or fd_kind = 'stream')
            )
            and errno in ('ENETUNREACH', 'EHOSTUNREACH', 'ETIMEDOUT', 'ECONNRESET')
            and path is null
            and coalesce(fd_kind, 'stream') = 'stream'
            and not contains(args, 'sa_family=')
    ),
    near_the_end as (
        select b.*, t.last_line - b.line_no as lines_after
        from broken b
        join strace_tail t on t.file_id = b.file_id and t.tid = b.tid
        where b.times <= 2 and b.fd is not null and t.last_line - b.line_no <= 400
    ),
    moved as (  -- the descriptor, or another one in its place, works
        select n.file_id, n.line_no
        from near_the_end n
        join strace_file f on f.file_id = n.file_id
        join
            strace_quick q
            on q.file_id = n.file_id
            and q.line_no > n.line_no
            and q.returned > 0
            and strace_fd(q.args) = n.fd
        join
            strace_thread t
            on t.trace = n.trace
            and t.tid = coalesce(q.pid, f.own_tid)
            and t.pid is not distinct from n.pid
        where regexp_matches(q.syscall, '^(?:read|write|recv|send)')
        union
        select n.file_id, n.line_no
        from near_the_end n
        join
            strace_event e
            on e.file_id = n.file_id
            and e.line_no > n.line_no
            and e.kind = 'call'
            and strace_fd(e.args) = n.fd
        join
            strace_thread t
            on t.trace = n.trace
            and t.tid = e.tid
            and t.pid is not distinct from n.pid
        where
            regexp_matches(e.syscall, '^(?:read|write|recv|send)')
            and try_cast(e.result as bigint) > 0
    ),
    made as (  -- another connection
        select trace, pid, file_id, line_no, peer
        from strace_known
        where
            (
                syscall = 'connect'
                and result = '0'
                or syscall = 'getsockopt'
                and contains(args, 'SO_ERROR, [0]')
            )
            and coalesce(fd_kind, 'stream') = 'stream'
            and not contains(args, 'AF_UNIX')
    ),
    ended_process as (
        select trace, tid as pid, line_no, kind = 'exit' and result = '0' as is_well
        from strace_event
        where kind in ('killed', 'exit')
    )
select
    n.file_id,
    n.line_no,
    n.trace,
    n.tid,
    n.pid,
    n.rank,
    n.host,
    n.time,
    n.syscall,
    n.fd,
    nullif(trim(regexp_replace(n.peer, ':[0-9]+$', ''), '[]'), '') as peer,
    try_cast(regexp_extract(n.peer, ':([0-9]+)$', 1) as bigint) as port,
    n.errno,
    n.lines_after,
    p.is_well is false as ended_badly
from near_the_end n
anti join moved v on v.file_id = n.file_id and v.line_no = n.line_no
left join ended_process p on p.trace = n.trace and p.pid = n.pid and p.line_no > n.line_no
where
    coalesce(not p.is_well, true)
    and not exists (
        from made m
        where
            m.trace = n.trace
            and m.pid is not distinct from n.pid
            and m.line_no > n.line_no
            and coalesce(m.peer = n.peer, true)
    )
qualify row_number() over (partition by n.trace, n.pid, n.fd order by n.line_no) = 1
