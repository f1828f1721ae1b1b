-- table: One row per file server that the kernels of one or several hosts lost or were thrown out
-- by: filesystem = nfs | lustre | cifs | ceph | gpfs | beegfs
-- | gluster; is_back = every host reached it
-- again; seconds = the longest that a host was without it, as far as its log goes;
-- unheard_seconds = how long it had been silent by a host's own word; times = how
-- often it was lost; hung = up to a quarter of an hour later a program was blocked in such a file
-- system.
with
    report as (
        select
            *,
            -- a client's name for what it asks for the settings, by the address of that server
            regexp_replace(
                regexp_replace(device, '-(mdc|osc|osp|lwp)-(?:MDT)?[0-9a-fx]+$', ''),
                '^MGC([0-9].*@)',
                '\1'
            ) as server,
            case
                when message ilike 'nfs%'
                then 'nfs'
                when
                    message in ('lost', 'evicted')
                    or regexp_matches(device, '-(mdc|osc|osp|lwp)-|^MGC|@(o2ib|tcp)')
                then 'lustre'
                when message = 'not responded'
                then 'cifs'
                when
                    message = 'not responded in the last'
                    or regexp_matches(message, 'attached to remote volume$')
                    or regexp_matches(device, '-(?:client|replicate)-[0-9]+$|-dht$')
                then 'gluster'
                when regexp_matches(device, '^(mds|mon)[0-9]')
                then 'ceph'
                when
                    regexp_matches(
                        message, '(?i)file system|lost membership|disk lease|stripe group'
                    )
                then 'gpfs'
                when
                    regexp_matches(
                        message, '^(?:Retrying comm|Communication |Connect|Unable to|Receiv)'
                    )
                then 'beegfs'
            end as filesystem,
            coalesce(epoch(time), uptime_seconds) as seen_at
        from kernel_event
        where kind in ('storage_lost', 'storage_back', 'storage_evicted', 'storage_error')
    ),
    hung_task as (
        select file_id, host, coalesce(epoch(time), uptime_seconds) as seen_at
        from kernel_stall
        where waits_for = 'file_server'
    ),
    seen_by_host as (
        select
            server,
            host,
            file_id,
            any_value(filesystem) as filesystem,
            min(time) filter (kind <> 'storage_back') as "at",
            max(time) as until,
            count(*) filter (kind <> 'storage_back') as times,
            arg_max(kind, (seen_at, line_no)) filter (kind in ('storage_lost', 'storage_back'))
            = 'storage_back' as is_back,
            max(seen_at) - min(seen_at) as seconds,
            max(seconds) filter (kind = 'storage_lost') as unheard_seconds,
            bool_or(kind = 'storage_evicted') as evicted,
            bool_or(kind = 'storage_lost')
            -- asked again to connect, it does not answer again
            or count(*) filter (
                kind = 'storage_error' and device is not null and starts_with(message, 'timed out')
            )
            > 1 as lost,
            exists (
                from hung_task h
                where
                    h.file_id = r.file_id
                    and h.host is not distinct from r.host
                    and h.seen_at between min(r.seen_at) and max(r.seen_at) + 900
            ) as hung,
            list(line_at(file_id, line_no) order by line_no)[1:10] as evidence
        from report r
        group by server, host, file_id
    )
select
    server,
    any_value(filesystem) as filesystem,
    list(distinct host) filter (host is not null) as hosts,
    min("at") as "at",
    max(until) as until,
    sum(times)::bigint as times,
    bool_and(coalesce(is_back, false)) as is_back,
    max(seconds) as seconds,
    max(unheard_seconds) as unheard_seconds,
    bool_or(evicted) as evicted,
    bool_or(hung) as hung,
    flatten(list(evidence))[1:20] as evidence
from seen_by_host
where lost or evicted
group by server
