-- table: one row per notable call with everything resolved: the thread and its process, what the
-- descriptor is (path, peer, fd_kind), the time in UTC.
with
    calls as (
        select
            c.*,
            t.pid,
            t.main,
            t.is_rank,
            t.processes,
            t.rank as of_rank,
            coalesce(t.host, c.host) as of_host,
            f.day,
            row_number() over (order by c.file_id, c.line_no) as n,
            case
                when
                    c.syscall not in (
                        'exit',
                        'exit_group',
                        'wait4',
                        'waitid',
                        'kill',
                        'tgkill',
                        'tkill',
                        'clone',
                        'clone3',
                        'mmap',
                        'munmap',
                        'brk',
                        'futex',
                        'prlimit64',
                        'alarm'
                    )
                then strace_fd(c.args)
            end as fd,
            strace_fd_is(c.args) as fd_is,
            strace_path(c.syscall, c.args) as arg_path,
            strace_sockaddr(c.args) as arg_peer
        from strace_notable c
        join strace_thread t on t.trace = c.trace and t.tid = c.tid
        join strace_file f on f.file_id = c.file_id
        where
            c.errno is not null
            or c.never_returned
            or c.seconds >= 1
            or c.syscall not in (
                'open',
                'openat',
                'creat',
                'pipe',
                'pipe2',
                'socket',
                'accept',
                'accept4',
                'clone',
                'clone3',
                'fork',
                'vfork',
                'statfs',
                'fstatfs',
                'prlimit64',
                'getrlimit',
                'ugetrlimit',
                'setrlimit'
            )
    ),
    opened as (  -- the latest call before this one that made the descriptor
        select c.n, o.path, o.kind
        from calls c
        asof join
            (from fd where kind <> 'connect') o
            on o.file_id = c.file_id
            and o.pid = c.pid
            and o.fd = c.fd
            and o.line_no < c.line_no
    ),
    listed as (  -- a listing made while the trace ran: of the call it ended in
        select c.n, any_value(p.path) as path, any_value(p.kind) as kind
        from calls c
        join process_descriptor p on p.pid = c.pid and p.fd = c.fd
        where c.never_returned
        group by c.n
    ),
    connected as (
        select c.n, o.peer, o.line_no as connect_line
        from calls c
        asof join
            (from fd where peer is not null) o
            on o.file_id = c.file_id
            and o.pid = c.pid
            and o.fd = c.fd
            and o.line_no <= c.line_no
    )
select
    c.file_id,
    c.line_no,
    c.end_line,
    c.trace,
    c.tid,
    c.pid,
    c.main,
    c.is_rank,
    c.processes,
    c.of_rank as rank,
    c.of_host as host,
    c.at_s,
    c.seconds,
    make_timestamp(
        (
            epoch_us(case when c.at_s < 100000 then c.day else timestamp '1970-01-01' end)
            + c.at_s * 1000000
        )::bigint
    ) as time,
    c.syscall,
    c.args,
    c.result,
    c.target,
    c.errno,
    c.said,
    c.injected,
    c.never_returned,
    c.fd,
    coalesce(
        c.arg_path,
        case
            when c.fd_is[1] = '/' then c.fd_is when c.fd_is is null then coalesce(o.path, d.path)
        end
    ) as path,
    coalesce(
        c.arg_peer,
        strace_far_end(c.fd_is),
        case
            when c.fd_is is null or starts_with(c.fd_is, 'socket:') or starts_with(c.fd_is, 'TCP')
            then k.peer
        end
    ) as peer,
    k.connect_line,
    case
        when c.fd_is[1] = '/'
        then 'file'
        when starts_with(c.fd_is, 'UDP')
        then 'datagram'
        when starts_with(c.fd_is, 'TCP')
        then 'stream'
        when starts_with(c.fd_is, 'UNIX')
        then 'unix'
        when starts_with(c.fd_is, 'pipe:')
        then 'pipe'
        when starts_with(c.fd_is, 'socket:')
        then coalesce(o.kind, 'stream')
        when c.fd_is is not null
        then 'other'
        else coalesce(o.kind, d.kind)
    end as fd_kind
from calls c
left join opened o using (n)
left join listed d using (n)
left join connected k using (n)
