-- table: A store, a rendezvous or the ranks of gloo that could not be reached: one row per process
-- that gave up.
with
    attempt as (
        from c10d_store
        where event = 'attempt'
        union all by name
        -- the address is none of the peer's where it could not be named: whose round it was is told
        -- as the round ends
        select a.* replace (o.peer as peer, o.port as port)
        from c10d_store a
        join
            c10d_store o
            on o.event = 'no_address'
            and o.file_id = a.file_id
            and o.stream = a.stream
            and o.line_no - a.line_no between 1 and 4
            and o.port <> a.port
        where a.event = 'attempt'
        union all by name
        select a.*
        from c10d_store a
        join
            (
                select file_id, port
                from c10d_store
                where event = 'no_ipv6'
                group by file_id, port
                having count(*) > 2
            ) using (file_id, port)
        where a.event = 'no_ipv6'
    )
select
    'c10d' as source,
    regexp_replace(s.peer, '^\[|\]$', '', 'g') as peer,
    s.port,
    coalesce(
        arg_max(a.error, a.line_no), max(s.error) filter (s.event <> 'gave_up'), 'timed out'
    ) as error,
    greatest(count(distinct a.line_no), max(coalesce(s.attempts, 0)), 1) as attempts,
    max(coalesce(s.timeout_ms, s.timeout_seconds * 1000)) as timeout_ms,
    any_value(s.host) as host,
    any_value(s.rank) as rank,
    any_value(s.pid) as pid,
    null::bigint as gpu_index,
    min(s.time) as time,
    s.file_id,
    min(s.line_no) as line_no
from c10d_store s
left join attempt a on a.file_id = s.file_id and a.port = s.port and a.stream = s.stream
where
    (s.peer is not null or s.event = 'gave_up')
    -- `no_address` is the end of one round only: in newer versions the store tries again.
    and (
        s.event = 'gave_up'
        or (
            s.event = 'no_address'
            and not exists (
                from c10d_store r
                where r.event = 'retry' and r.file_id = s.file_id and r.port = s.port
            )
        )
    )
group by s.file_id, s.stream, s.peer, s.port
union all by name
-- it has not given up yet, and the log of it ends there: no way leads to that host
select
    'c10d' as source,
    regexp_replace(a.peer, '^\[|\]$', '', 'g') as peer,
    a.port,
    max(a.error) as error,
    count(*) as attempts,
    any_value(a.host) as host,
    any_value(a.rank) as rank,
    any_value(a.pid) as pid,
    min(a.time) as time,
    a.file_id,
    min(a.line_no) as line_no
from c10d_store a
join file f using (file_id)
where
    a.event = 'attempt'
    and a.peer is not null
    and regexp_matches(a.error, '(?i)no route to host|(?:network|host) is (?:unreachable|down)')
    and f.lines - a.line_no <= 3
    and not exists (from c10d_store r where r.event <> 'attempt')
    and not exists (from metric_span m where m.file_id = a.file_id)
group by a.file_id, a.peer, a.port
union all by name
-- its inner exception, which would say more, is cut off: it was raised where the connection is
-- made, or the launcher had only just begun
select
    'c10d' as source,
    any_value(e.peer) as peer,
    any_value(e.port) as port,
    'The connection to the C10d store has failed' as error,
    count(*) as attempts,
    any_value(s.host) as host,
    any_value(s.rank) as rank,
    min(s.time) as time,
    s.file_id,
    min(s.line_no) as line_no
from c10d_store s
left join
    launcher_event e
    on e.file_id = s.file_id
    and e.event = 'endpoint'
    and not regexp_matches(e.peer, '^(?:localhost$|127\.|0\.0\.0\.0$)')
where
    s.error = 'RendezvousConnectionError'
    and (
        s.event = 'rendezvous'
        -- it leaves, which fails too, before any of its workers began
        or s.event = 'shutdown_failed'
        and exists (
            from launcher_event l
            where
                l.event = 'endpoint'
                and l.file_id = s.file_id
                and s.line_no - l.line_no between 1 and 40
        )
        and not exists (from c10d_store r where r.event = 'rendezvous' and r.file_id = s.file_id)
        and not exists (from training_mark m where m.kind = 'end' and m.file_id = s.file_id)
        and not exists (from done_line d where d.file_id = s.file_id)
    )
    and (
        exists (
            from c10d_store f
            where
                f.file_id = s.file_id
                and f.line_no between s.line_no - 4 and s.line_no + 4
                and f.event = 'never_made'
        )
        or exists (
            from launcher_event l
            where
                l.event in ('launched', 'endpoint')
                and l.file_id = s.file_id
                and s.line_no - l.line_no between 1 and 40
        )
        and not exists (from worker_ranks w where w.file_id = s.file_id and w.line_no < s.line_no)
        and not exists (from training_line t where t.file_id = s.file_id and t.line_no < s.line_no)
    )
    and not exists (
        from c10d_store k where k.peer is not null or k.event in ('gave_up', 'no_address')
    )
group by s.file_id
union all by name
-- gloo's ranks tell each other their addresses, and one of them could not be reached: whose, it
-- lost
select
    'gloo' as source,
    any_value(s.host) as host,
    s.rank,
    any_value(s.pid) as pid,
    min(s.time) as time,
    s.file_id,
    min(s.line_no) as line_no
from c10d_store s
where
    s.event = 'full_mesh_unmade'
    and not exists (from metric_span m where m.file_id = s.file_id and m.last_line > s.line_no)
group by s.file_id, s.rank
