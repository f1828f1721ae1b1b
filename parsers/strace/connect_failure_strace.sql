-- table: one row per process and peer to which connections were tried and never made, and per
-- open connection that the network broke off, in the shape of rules/views (syscall: what failed).
-- A socket in non-blocking mode learns of a refusal from
-- SO_ERROR, of silence from a poll that runs out; retries that reach the same port in the
-- end were only early.
with
    tries as (
        select
            file_id,
            line_no,
            trace,
            pid,
            tid,
            rank,
            host,
            time,
            at_s,
            peer,
            syscall,
            seconds,
            never_returned,
            case
                when
                    syscall = 'connect'
                    and errno in ('ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED')
                then errno
                when syscall = 'connect' and never_returned
                then 'not returned'
                when syscall = 'getsockopt'
                then nullif(regexp_extract(args, 'SO_ERROR, \[(E[A-Z]+)\]', 1), '')
                when syscall in ('poll', 'ppoll')
                then 'timeout'
            end as error,
            syscall = 'connect'
            and result = '0'
            or syscall = 'getsockopt'
            and contains(args, 'SO_ERROR, [0]') as made
        from
            (  -- the descriptor a poll waited for, and its peer
                select k.* exclude (peer, fd, fd_kind), k.fd_kind, coalesce(k.peer, c.peer) as peer
                from
                    (
                        select
                            * exclude (fd),
                            case
                                when syscall in ('poll', 'ppoll')
                                then try_cast(regexp_extract(args, '^\[\{fd=([0-9]+)', 1) as bigint)
                                else fd
                            end as fd
                        from strace_known
                        where
                            syscall in ('connect', 'getsockopt', 'poll', 'ppoll')
                            and injected is null
                    ) k
                asof left join
                    (select file_id, pid, fd, line_no, peer from fd where peer is not null) c
                    on c.file_id = k.file_id
                    and c.pid = k.pid
                    and c.fd = k.fd
                    and c.line_no < k.line_no
            )
        where
            peer is not null and fd_kind is distinct from 'datagram' and not ends_with(peer, ':53')
    ),
    by_peer as (
        select
            trace,
            pid,
            rank,
            host,
            peer,
            regexp_extract(peer, ':([0-9]+)$', 1) as port,
            mode(error) filter (error is not null) as error,
            count(error) as attempts,
            min(time) filter (error is not null) as time,
            max(at_s) - min(at_s) as lasted,
            max(seconds) as longest,
            bool_or(never_returned) as still_trying,
            min_by(file_id, line_no) filter (error is not null) as file_id,
            min(line_no) filter (error is not null) as line_no,
            max(line_no) filter (error is not null) as last_line
        from tries
        group by all
        having count(error) > 0
    )
select
    'strace' as source,
    trim(left(peer, -1 - length(b.port)), '[]') as peer,
    try_cast(b.port as bigint) as port,
    case when error = 'not returned' then 'no answer' else error end as error,
    attempts::bigint as attempts,
    null::bigint as timeout_ms,
    host,
    rank,
    nullif(pid, 0) as pid,
    null::bigint as gpu_index,
    time,
    file_id,
    line_no,
    last_line,
    lasted,
    'connect' as syscall
from by_peer b
where
    not exists (
        from tries m
        where
            m.made
            and m.trace = b.trace
            and m.pid is not distinct from b.pid
            and ends_with(m.peer, ':' || b.port)
    )
    -- one refusal at start-up is usual; giving up is said by many, by long waits, or by an
    -- unreachable network
    and (
        error in ('ETIMEDOUT', 'EHOSTUNREACH')
        or attempts >= 3
        or coalesce(lasted, 0) >= 5
        or (
            still_trying
            and exists (
                from waiting_for_syscall w
                where
                    w.trace = b.trace
                    and w.peer = b.peer
                    and (
                        coalesce(w.waited_seconds, 60) >= 3
                        -- the tracer found the thread in it, and that is all that it did
                        or w.caught_in_it
                        and w.main
                        and w.never_moved
                        and w.thread_lines <= 2
                    )
            )
        )
    )
union all by name
select
    'strace' as source,
    peer,
    port,
    errno as error,
    1::bigint as attempts,
    host,
    rank,
    nullif(pid, 0) as pid,
    time,
    file_id,
    line_no,
    line_no as last_line,
    syscall
from strace_lost_connection
where errno <> 'ECONNRESET'
