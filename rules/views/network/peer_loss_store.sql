-- table: One row per line of a process that lost the store (c10d) through which processes find each
-- other, in the shape of peer_loss: it went with the process that held it. source: agent where the
-- launcher's agent reports it, else store.
with
    lost as (
        select
            'agent' as source,
            file_id,
            line_no,
            time,
            rank,
            coalesce(
                host,
                -- the agent names its node when it then cannot leave in order
                (
                    select any_value(n.host)
                    from c10d_store n
                    where n.event = 'shutdown_failed' and n.file_id = s.file_id
                    having count(distinct n.host) = 1
                )
            ) as host
        from c10d_store s
        where event = 'rendezvous' and error = 'RendezvousConnectionError'
        union all
        select 'store', file_id, line_no, time, rank, host
        from exception
        where
            class in ('RuntimeError', 'DistNetworkError', 'DistStoreError')
            and regexp_matches(
                message,
                '^(?:Connection reset by peer|Broken pipe|Connection closed by peer'
                || '|Failed to recv, got 0 bytes|failed to recv, got 0 bytes)'
            )
            and final
            and not is_exit_barrier(frames)
            and regexp_matches(
                array_to_string(frames, ' '),
                'torch/distributed/(?:distributed_c10d|rendezvous|elastic/[a-z_/]+)\.py'
            )
    )
select *
from lost
where
    not exists (from connect_failure)
    and not exists (from fatal_exception where kind <> 'collective')
    and not exists (from c10d_timeout_line)
    and not exists (from c10d_heartbeat)
    and not exists (from c10d_nccl_error)
    and not exists (from scheduler_action)
    and not exists (from ended_from_outside)
    and not exists (from death where signal in (4, 6, 7, 8, 9, 11))
    and not exists (from "exit" where exitcode between 1 and 127)
    and not exists (
        from c10d_store
        where
            event in (
                'clients_missing',
                'key_wait',
                'unique_id',
                'full_mesh_failed',
                'full_mesh_unmade',
                'port_taken'
            )
    )
