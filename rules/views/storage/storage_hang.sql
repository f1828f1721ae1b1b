-- table: One row per process that hung in a network or parallel file system, where no line tells of
-- the server itself: waits_in = the kernel function, filesystem = whose it is, times = how often
-- that was reported.
select
    list(line_at(file_id, line_no) order by line_no)[1:10] as evidence,
    min(time) as "at",
    max(time) as until,
    case when host is not null then [host] end as hosts,
    'probable' as confidence,
    -- for once it may have been slow
    case when count(*) >= 3 then 'critical' else 'warning' end as severity,
    case
        when
            exists (
                from kernel_event_of_boot as p
                where
                    p.kind = 'panic'
                    and p.host is not distinct from h.host
                    and contains(p.message, 'hung_task')
            )
        then
            [
                'hang',
                'network.peer_lost',
                'crash',
                'loss.rollback',
                'perf.slowdown',
                'host.kernel_panic'
            ]
    end as explains,
    filesystem,
    process,
    pid,
    any_value(waits_in) as waits_in,
    max(seconds) as hung_seconds,
    count(*) as times
from storage_wait as h
group by host, boot, filesystem, process, pid
qualify row_number() over (partition by host, filesystem order by count(*) desc, min(time)) = 1
