/*
title       = "A peer cannot be reached"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network.peer_lost", "crash.exception", "crash.signal", "loss.rollback"]
about       = """
A connection was refused, timed out or found no route. One peer that many cannot reach is itself the suspect: its process is not
there, or a firewall or route stands before it. One host that reaches nobody is the suspect itself.
Behind NCCL up to 2.23 `Software caused connection abort` is a refused connection on its second try.
"""
remedy      = """
On the peer: is the process alive and does it listen (ss -ltnp)? From the host that failed: nc -vz PEER PORT. Then firewall rules between
the two, the interface that was chosen (NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME), MASTER_ADDR, and routes of that subnet.
"""
false_positives = "The peer had died before and its own failure is not in the logs: then the refused connection is the echo of that."
references  = ["https://github.com/NVIDIA/nccl/issues/1515", "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"]
*/
with
    failed as (
        select
            *,
            coalesce(peer, '') as to_whom,
            coalesce(host, '') as from_whom,
            count(distinct coalesce(host, '')) over (partition by peer) as hosts_of_peer,
            count(distinct coalesce(peer, '')) over (partition by host) as peers_of_host
        from connect_failure
    ),
    grouped as (
        select
            case
                when peers_of_host > hosts_of_peer then 'from ' || from_whom else 'to ' || to_whom
            end as one,
            list(distinct peer order by peer) filter (peer is not null) as peers,
            list(distinct host order by host) filter (host is not null) as hosts,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct gpu_index::varchar order by gpu_index::varchar) filter (
                gpu_index is not null
            ) as gpus,
            arg_min(port, line_no) as port,
            mode(error) as error,
            max(attempts) as attempts,
            max(timeout_ms) as timeout_ms,
            list(distinct pid order by pid) filter (pid is not null) as pids,
            min(time) as at,
            max(time) as until,
            count(*) as times,
            case when bool_or(source = 'strace') then 'connect' end as syscall,
            list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence
        from failed
        group by one
    )
select
    format(
        '{}{} cannot reach {}{}: {}{}',
        case
            when len(hosts) = 1
            then hosts[1]
            when hosts is null
            then 'A process'
            else len(hosts) || ' hosts'
        end,
        case
            when ranks is not null
            then ' (rank ' || ranges(ranks) || ')'
            when gpus is not null
            then ' (GPU ' || array_to_string(gpus, ',') || ')'
            else ''
        end,
        case
            when len(peers) = 1
            then coalesce(a.host || ' (' || peers[1] || ')', peers[1])
            when peers is null
            then 'a peer that is not named'
            else len(peers) || ' peers'
        end,
        case when len(peers) = 1 and port is not null then ' port ' || port else '' end,
        coalesce(error, 'no answer'),
        case
            when error ilike '%software caused connection abort%'
            then ' (NCCL up to 2.23 prints this for a refused connection)'
            else ''
        end
    ) as summary,
    evidence,
    "at",
    until,
    ranks,
    hosts,
    gpus,
    peers[1] as peer,
    case when len(peers) > 1 then peers end as peers,
    a.host as peer_host,
    port,
    error,
    attempts,
    timeout_ms,
    times,
    pids,
    syscall
from grouped
left join address_host a on a.address = peers[1]
