-- view: one row per connection NCCL gave up on, in the shape of connect_failure; interface: the
-- one its connections go over, where it is one. Warnings that name nobody ("exceeded retries")
-- count only where none names a peer; retries count where there were many and the process never
-- got through its init.
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
        -- an open connection that falls silent: the path is gone, not the process; one that was
        -- still being opened is refused
        select peer, port, error, attempts, host, rank, pid, device_hint, time, file_id, line_no
        from nccl_socket
        where event = 'io_failed' and nccl_found_no_way(error)
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
        -- silence is told after minutes, a refusal at once
        having
            greatest(max(attempts), count(*))
            >= case when regexp_matches(error, 'timed out') then 2 else 10 end
    ),
    -- The end of a connection that writes the line: a receiver the last rank, a sender the first.
    own_edge as (
        select
            coalesce(host, '') as host,
            coalesce(pid, 0) as pid,
            case when direction = 'receive' then dst_rank else src_rank end as rank,
            try_cast(regexp_extract(via, '^NET/Socket/([0-9]+)', 1) as bigint) as interface_no
        from nccl_channel
        where direction is not null
    ),
    own as (
        select
            host,
            pid,
            case when count(distinct rank) = 1 then any_value(rank) end as rank,
            case
                when count(distinct interface_no) = 1 then any_value(interface_no)
            end as interface_no
        from own_edge
        group by host, pid
    ),
    interface as (
        select
            o.host,
            o.pid,
            regexp_extract(n.message, '\[' || o.interface_no || '\]([^: ]+):', 1) as interface
        from own o
        join nccl_network n on n.host = o.host and n.pid = o.pid
        where n.event = 'devices' and n.network = 'Socket' and o.interface_no is not null
    )
select
    'nccl' as source,
    s.peer,
    s.port,
    s.error,
    s.attempts::bigint as attempts,
    null::bigint as timeout_ms,
    s.host,
    coalesce(s.rank, p.rank, o.rank) as rank,
    s.pid,
    coalesce(p.gpu_index, s.device_hint) as gpu_index,
    nullif(i.interface, '') as interface,
    s.time,
    s.file_id,
    s.line_no
from failed s
left join own o on o.host = s.host and o.pid = s.pid
left join interface i on i.host = s.host and i.pid = s.pid
left join nccl_process p on p.host = s.host and p.pid = s.pid
