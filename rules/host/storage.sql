/*
title       = "A file server did not answer"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network.peer_lost", "crash", "loss.rollback", "perf.slowdown"]
explains_same_place = ["host.cpu_stall"]
about       = """
A network or parallel file system lost its server, the server threw the client out, or a file handle went stale. On hard mounts programs wait
without an error until the server is back; on soft mounts, and after an eviction, reads and writes fail.
"""
remedy      = "Look at the named server and the network to it at that time; after an eviction or a stale handle mount again; check that checkpoints written at that time are whole."
false_positives = "A short restart of the server that every program waited out."
references  = ["https://doc.lustre.org/lustre_manual.xhtml#lustrerecovery"]
*/
with
    events as (
        select
            *,
            regexp_replace(device, '-(mdc|osc|osp|lwp)-[0-9a-fx]+$', '') as server,
            coalesce(epoch(time), uptime_seconds) as t
        from kernel_event
        where kind in ('storage_lost', 'storage_back', 'storage_evicted', 'storage_error')
    ),
    per_host as (
        select
            server,
            host,
            file_id,
            min(time) filter (kind <> 'storage_back') as "at",
            max(time) as until,
            count(*) filter (kind <> 'storage_back') as times,
            arg_max(kind, (t, line_no)) filter (kind in ('storage_lost', 'storage_back'))
            = 'storage_back' as is_back,
            max(t) - min(t) as seconds,
            bool_or(kind = 'storage_evicted') as evicted,
            bool_or(kind = 'storage_lost') as lost,
            list(line_at(file_id, line_no) order by line_no)[1:10] as evidence
        from events
        group by all
    ),
    servers as (
        select
            server,
            list(distinct host) filter (host is not null) as hosts,
            min("at") as "at",
            max(until) as until,
            sum(times)::bigint as times,
            bool_and(coalesce(is_back, false)) as is_back,
            max(seconds) as seconds,
            bool_or(evicted) as evicted,
            flatten(list(evidence))[1:20] as evidence
        from per_host
        where lost or evicted
        group by server
    ),
    stale as (
        select
            list_sort(list(distinct rank) filter (rank is not null)) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            min(time) as "at",
            max(time) as until,
            count(*) as times,
            any_value(message) as message,
            any_value(nullif(regexp_extract(message, ': ''([^'']+)''', 1), '')) as path,
            regexp_extract(
                message,
                '(Stale file handle|Remote I/O error|Transport endpoint is not connected|Input/output error|Cannot send after transport endpoint shutdown)',
                1
            ) as error,
            list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence
        from exception
        where
            class in (
                'OSError',
                'IOError',
                'RuntimeError',
                'FileNotFoundError',
                'ConnectionAbortedError',
                'SafetensorError'
            )
            and regexp_matches(
                message,
                'Errno (116|121|108|5)\]|Errno 107\] Transport endpoint is not connected: ''/|failed with (Stale file handle|Remote I/O error)|os error 116'
            )
        group by all
        having error <> ''
    )
select
    concat(
        'file server ',
        coalesce(server, '(not named)'),
        case
            when evicted
            then ' evicted this client'
            when is_back
            then
                format(
                    ' did not answer for {} s', coalesce(round(seconds)::bigint::varchar, 'some')
                )
            else ' does not answer'
        end,
        case
            when len(hosts) > 0
            then ', seen by ' || array_to_string(list_sort(hosts)[1:5], ', ')
            else ''
        end
    ) as summary,
    evidence,
    "at",
    until,
    hosts,
    case
        when evicted or not is_back
        then 'critical'
        when coalesce(seconds, 0) >= 120
        then 'warning'
        else 'info'
    end as severity,
    'definite' as confidence,
    server as device,
    server as server,
    null::varchar as path,
    null::varchar as error,
    case when is_back then seconds end as seconds,
    times,
    []::bigint[] as ranks
from servers
union all by name
select
    concat(
        case when len(ranks) > 0 then 'ranks ' || ranges(ranks) || ': ' else '' end,
        error,
        coalesce(' on ' || path, '')
    ) as summary,
    evidence,
    "at",
    until,
    hosts,
    'critical' as severity,
    case when error = 'Input/output error' then 'probable' else 'definite' end as confidence,
    path,
    error,
    times,
    ranks
from stale
