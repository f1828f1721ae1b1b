-- table: One row per line in which NCCL reports that the other end of a connection is gone, in the
-- shape of peer_loss: a socket that names the peer, else the exception of an asynchronous error.
-- What timed out, found no route or was refused is a connect_failure.
select
    'nccl' as source,
    s.file_id,
    s.line_no,
    s.time,
    s.host,
    coalesce(s.rank, p.rank) as rank,
    nullif(s.peer, '') as peer,
    a.host as peer_host,
    s.port
from nccl_socket s
left join nccl_process p on p.host = s.host and p.pid = s.pid
left join address_host a on a.address = s.peer
where
    s.event in ('closed_by_peer', 'io_failed', 'no_peer_address')
    and not nccl_found_no_way(s.error)
    -- its own proxy thread, which another peer was lost to
    and not coalesce(
        (s.peer in (s.host, short_host(s.host)) or starts_with(s.peer, short_host(s.host) || '.'))
        and exists (
            from nccl_socket o
            where
                o.host = s.host
                and o.pid = s.pid
                and o.file_id = s.file_id
                and o.line_no < s.line_no
                and o.event in ('closed_by_peer', 'io_failed')
                and o.peer <> s.peer
        ),
        false
    )
    -- a process that has torn its communicators down before does not mind
    and not exists (
        from nccl_comm c
        where
            c.host = s.host
            and c.pid = s.pid
            and c.file_id = s.file_id
            and c.line_no < s.line_no
            and regexp_matches(c.event, '^(Destroy|Abort|Revoke) ')
    )
    -- nor does one whose steps go on
    and (select count(*) from training_line t where t.file_id = s.file_id and t.line_no > s.line_no)
    < 3
union all by name
select 'nccl_exception' as source, e.file_id, e.line_no, e.time, e.host, e.rank
from c10d_nccl_error e
where
    e.error like 'remote process exited%'
    and not exists (from nccl_socket)
    and not exists (from nccl_ib_error)
    and not exists (from nccl_ofi_error)
    and not exists (from fatal_exception where kind <> 'collective')
union all by name
select 'nccl' as source, file_id, line_no, time, host, rank, peer
from communication_failure
where class = 'peer'
