-- view: Connections NCCL gave up on, in the shape of connect_failure. Connections that could not be
-- made. Warnings that name nobody ("exceeded retries") count only where none names a peer; retries
-- count where there were many and the process never got through its init.
with
    failed as (
        select peer, port, error, attempts, host, rank, pid, device_hint, time, file_id, line_no
        from nccl_socket s
        where
            s.event = 'connect_failed'
            and (
                s.peer is not null
                or not exists (
                    from nccl_socket o where o.event = 'connect_failed' and o.peer is not null
                )
            )
        union all by name
        -- an open connection that falls silent: the path is gone, not the process
        select peer, port, error, attempts, host, rank, pid, device_hint, time, file_id, line_no
        from nccl_socket
        where
            event = 'io_failed' and regexp_matches(error, 'timed out|No route to host|unreachable')
        union all by name
        select
            peer,
            port,
            error,
            greatest(max(attempts), count(*)) as attempts,
            host,
            rank,
            pid,
            device_hint,
            max(time) as time,
            file_id,
            max(line_no) as line_no
        from nccl_socket s
        where
            s.event = 'connect_retry'
            and not exists (from nccl_socket o where o.event = 'connect_failed')
            and not exists (
                from nccl_comm c
                where c.host = s.host and c.pid = s.pid and c.event = 'Init COMPLETE'
            )
        group by all
        having greatest(max(attempts), count(*)) >= 10
    )
select
    'nccl' as source,
    s.peer,
    s.port,
    s.error,
    s.attempts::bigint as attempts,
    null::bigint as timeout_ms,
    s.host,
    coalesce(s.rank, p.rank) as rank,
    s.pid,
    coalesce(p.gpu_index, s.device_hint) as gpu_index,
    s.time,
    s.file_id,
    s.line_no
from failed s
left join nccl_process p on p.host = s.host and p.pid = s.pid
