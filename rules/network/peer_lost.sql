/*
title       = "A peer closed its connection"
severity    = "warning"
confidence  = "possible"
status      = "stable"
about       = """
The other end went away. That is nearly always the echo of something that happened there: look for the peer's own end first.
"""
remedy      = "Find the log of the named peer and what it said last; look at its kernel log (OOM killer, Xid) and at how its process ended. Nothing is wrong here."
false_positives = "The job was taken down on purpose and one process was faster than the others."
*/
with
    lost as (
        select
            s.* replace (nullif(s.peer, '') as peer),
            coalesce(s.rank, p.rank) as job_rank,
            a.host as peer_host
        from nccl_socket s
        left join nccl_process p on p.host = s.host and p.pid = s.pid
        left join address_host a on a.address = s.peer
        where
            s.event in ('closed_by_peer', 'io_failed', 'no_peer_address')
            and not regexp_matches(coalesce(s.error, ''), 'timed out|No route to host|unreachable')
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
    )
select
    format(
        '{} lost the connection to {}{}',
        case
            when count(distinct host) = 1
            then min(host)
            when count(host) = 0
            then 'A process'
            else count(distinct host) || ' hosts'
        end,
        case
            when count(distinct peer) = 1
            then coalesce(any_value(peer_host) || ' (' || min(peer) || ')', min(peer))
            when count(peer) = 0
            then 'a peer that is not named'
            else count(distinct peer) || ' peers'
        end,
        ': the peer closed it, its own end is the cause'
    ) as summary,
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence,
    min(time) as at,
    max(time) as until,
    list(distinct job_rank order by job_rank) filter (job_rank is not null) as ranks,
    list(distinct host order by host) filter (host is not null) as hosts,
    mode(peer) as peer,
    list(distinct peer order by peer) filter (peer is not null) as peers,
    mode(peer_host) as peer_host,
    mode(port) as port,
    count(*) as times
from lost
having count(*) > 0
union all by name
-- gloo: where nothing else is told that could have ended the job, who does not complain has gone
-- first
select
    'gloo on ranks '
    || ranges(list(distinct g.rank))
    || ' lost the connection to a peer'
    || case
        when len(any_value(o.quiet)) = 1
        then
            '; rank '
            || any_value(o.quiet)[1]
            || ' does not complain: it ended, or went another way, before them'
        else ': the peer closed it, its own end is the cause'
    end as summary,
    list(
        line_at(g.file_id, g.line_no) order by g.time nulls last, g.file_id, g.line_no
    ) as evidence,
    min(g.time) as at,
    list_sort(list(distinct g.rank)) as ranks,
    case
        when len(any_value(o.quiet)) = 1
        then
            'Look at the end of rank '
            || any_value(o.quiet)[1]
            || ': did it leave its loop early (fewer batches, a break, sys.exit)?'
    end as action,
    mode(g.peer) as peer,
    list(distinct g.peer order by g.peer) as peers,
    mode(g.port) as port,
    count(*) as times,
    case when len(any_value(o.quiet)) = 1 then any_value(o.quiet) end as quiet_ranks
from gloo_error g
cross join
    (
        select
            list_filter(
                range(greatest((select max(rank) from rank), max(rank)) + 1),
                lambda r: not list_contains(list(distinct rank), r)
            ) as quiet
        from gloo_error
        where rank is not null
    ) o
where
    g.rank is not null
    and not exists (from fatal_exception)
    and not exists (from c10d_timeout_line)
    and not exists (from c10d_barrier)
    and not exists (from c10d_size)
    and not exists (from c10d_fingerprint)
    and not exists (from death where signal in (4, 6, 7, 8, 9, 11))
    and not exists (from scheduler_event)
    and exists (from exit where exitcode > 0)
having count(*) > 0
union all by name
-- gloo in a log that tells no ranks, as the exception that ended its process
select
    'A process lost its gloo connection to '
    || mode(g.peer)
    || ': the peer closed it, its own end is the cause' as summary,
    list(line_at(g.file_id, g.line_no) order by g.file_id, g.line_no) as evidence,
    min(g.time) as at,
    list(distinct g.host) filter (g.host is not null) as hosts,
    mode(g.peer) as peer,
    list(distinct g.peer order by g.peer) as peers,
    mode(g.port) as port,
    count(*) as times
from gloo_error g
join exception e on e.file_id = g.file_id and e.line_no = g.line_no
where
    not exists (from gloo_error where rank is not null)
    and not exists (from fatal_exception)
    and not exists (from c10d_timeout_line)
    and not exists (from scheduler_event)
    and not exists (from death where signal in (4, 6, 7, 8, 9, 11))
having count(*) > 0
union all by name
-- NCCL's word for it, where nothing names the peer
select
    coalesce('Rank ' || ranges(list(distinct e.rank) filter (e.rank is not null)), 'A process')
    || ' lost a peer, says NCCL: a remote process exited, or the network to it failed' as summary,
    list(line_at(e.file_id, e.line_no) order by e.time nulls last, e.file_id, e.line_no)[
        :20
    ] as evidence,
    min(e.time) as at,
    max(e.time) as until,
    list_sort(list(distinct e.rank) filter (e.rank is not null)) as ranks,
    list(distinct e.host) filter (e.host is not null) as hosts,
    count(*) as times
from c10d_nccl_error e
where
    e.error like 'remote process exited%'
    and not exists (from nccl_socket)
    and not exists (from nccl_ib_error)
    and not exists (from nccl_ofi_error)
    and not exists (from fatal_exception where kind <> 'collective')
having count(*) > 0
union all by name
-- The store through which processes find each other went with the process that held it.
select
    case
        when bool_or(l.agent)
        then 'The launcher''s agent'
        else
            coalesce(
                'Rank ' || ranges(list(distinct l.rank) filter (l.rank is not null)), 'A process'
            )
    end
    || coalesce(' on ' || min(l.host), '')
    || ' lost the store through which processes find each other: what held it (rank 0 or its agent, on the first node) ended before'
    as summary,
    list(line_at(l.file_id, l.line_no) order by l.file_id, l.line_no)[:20] as evidence,
    min(l.time) as at,
    max(l.time) as until,
    list_sort(list(distinct l.rank) filter (l.rank is not null)) as ranks,
    list(distinct l.host) filter (l.host is not null) as hosts,
    'Find the log of rank 0 and of the launcher on the first node (MASTER_ADDR, --rdzv-endpoint) and what they said last.'
    as action,
    count(*) as times
from
    (
        select file_id, line_no, time, rank, host, true as agent
        from c10d_store
        where event = 'rendezvous' and error = 'RendezvousConnectionError'
        union all
        select file_id, line_no, time, rank, host, false
        from exception
        where
            class in ('RuntimeError', 'DistNetworkError', 'DistStoreError')
            and regexp_matches(
                message,
                '^(?:Connection reset by peer|Broken pipe|Connection closed by peer|Failed to recv, got 0 bytes|failed to recv, got 0 bytes)'
            )
            and final
            and regexp_matches(
                array_to_string(frames, ' '),
                'torch/distributed/(?:distributed_c10d|rendezvous|elastic/[a-z_/]+)\.py'
            )
    ) l
where
    not exists (from connect_failure)
    and not exists (from fatal_exception where kind <> 'collective')
    and not exists (from c10d_timeout_line)
    and not exists (from c10d_heartbeat)
    and not exists (from c10d_nccl_error)
    and not exists (from scheduler_event)
    and not exists (from ended_from_outside)
    and not exists (from death where signal in (4, 6, 7, 8, 9, 11))
    and not exists (from "exit" where exitcode between 1 and 127)
    and not exists (
        from c10d_store
        where
            event in ('clients_missing', 'key_wait', 'unique_id', 'full_mesh_failed', 'port_taken')
    )
having count(*) > 0
union all by name
-- The coordination service of JAX names whose heartbeat it no longer hears: alone in its line, or
-- in a list below one.
select
    case when count(distinct t.lost_task) = 1 then 'Process ' else 'Processes ' end
    || ranges(list(distinct t.lost_task))
    || ' of the job sent no more heartbeats, says the coordination service: what happened there is the cause'
    as summary,
    list(line_at(t.file_id, t.line_no) order by t.file_id, t.line_no)[:20] as evidence,
    min(t.time) as at,
    max(t.time) as until,
    list_sort(list(distinct t.lost_task)) as ranks,
    'Find the log of '
    || ranges(list(distinct t.lost_task))
    || ' and how it ended; look for a preemption or an eviction of its host.' as action,
    count(*) as times
from
    (
        select file_id, line_no, time, lost_task
        from coordination_task
        where event = 'heartbeat'
        union all
        select file_id, line_no, time, lost_task
        from coordination_listed
        where event = 'unhealthy'
    ) t
where
    not exists (from fatal_exception where kind <> 'collective')
    and not exists (from scheduler_event)
    and not exists (from ended_from_outside)
    and not exists (from death where signal in (4, 7, 8, 9, 11))
having count(*) > 0
