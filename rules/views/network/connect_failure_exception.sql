-- table: One row per peer that a program's own connection (no collective's, no service outside)
-- could not reach, as the exception tells that ended it; in the columns of connect_failure.
-- at_rendezvous: it is that of torch's process group. Only where such exceptions are all that the
-- run ended with: a peer that failed by itself is refused, too.
with
    ended as (
        select
            f.*,
            x."class" as errno_class,
            x.peer,
            x.port,
            regexp_matches(
                f.message,
                '(?i)name or service not known|name resolution|nodename nor servname'
                || '|no address associated with hostname|getaddrinfo failed'
            ) as unresolved,
            case when unresolved then 'Name or service not known' else x.text end as text,
            -- a group whose ranks connect to each other as it is made, and no message of another
            -- library
            coalesce(
                regexp_matches(
                    f.frames[-1],
                    'torch/distributed/[a-z0-9_]+\.py:[0-9]+ in _?new_(?:process_)?group'
                )
                and not regexp_matches(f.message, '(?i)nccl|\bmpi\b|store'),
                false
            ) as of_gloo
        from fatal_exception f
        left join exception_errno x using (file_id, line_no)
        where
            (f.certain or unresolved and f.lines_after <= 3)
            and f.kind in ('own', 'config', 'checkpoint', 'disk', 'memory', 'gpu')
    )
select
    if(of_gloo and peer is null, 'gloo', 'exception') as source,
    peer,
    min(port) as port,
    text as error,
    count(*) as attempts,
    host,
    rank,
    pid,
    -- where the ranks of a job meet
    coalesce(
        regexp_matches(
            frames::varchar, 'torch/distributed/rendezvous\.py|in (?:init_process_group|TCPStore)\b'
        ),
        false
    ) as at_rendezvous,
    min(time) as time,
    file_id,
    min(line_no) as line_no
from ended
where
    kind = 'own'
    and (
        errno_class in ('refused', 'timed_out', 'unreachable')
        -- a client of some server may not tell whom it asked
        and (peer is not null or of_gloo or is_of_client(frames))
        or unresolved
        and len(frames) > 0
        -- a service outside
        and not (peer is null and is_of_http(frames))
    )
    and not regexp_matches(
        concat_ws(' ', message, raised_message),
        'HTTPS?ConnectionPool|https?://|Cannot connect to host|Max retries exceeded'
    )
    and class not in (select exception_class from service_exception)
    and not exists (
        from ended o
        where
            not o.unresolved
            and coalesce(o.errno_class, '') not in ('refused', 'timed_out', 'unreachable', 'peer')
    )
    and not exists (from c10d_timeout_line)
    and not exists (from scheduler_action)
    and not exists (from oom_event)
    and not exists (from death where signal in (4, 6, 7, 8, 9, 11))
group by all
