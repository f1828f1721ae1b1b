-- table: One row per process that hung for minutes (three reports or more in six hours) in a
-- network or parallel file system, where no line tells of the server itself: waits_in = the kernel
-- function, filesystem = whose it is.
with
    hung as (
        select
            s.*,
            case
                when s.module like 'mmfs%' or s.module like 'tracedev%'
                then 'gpfs'
                when regexp_matches(concat_ws(' ', s.module, s.waits_in), '^(?:nfs|sunrpc|rpc)')
                then 'nfs'
                when regexp_matches(s.module, '^(?:lustre|ptlrpc|osc|lov|mdc|llite|ldlm)')
                then 'lustre'
                else s.module
            end as filesystem
        from kernel_stall as s
        where
            s.kind = 'hung_task'
            and s.waits_for = 'file_server'
            and s.process not in (select process from system_daemon)
    )
select
    list(line_at(file_id, line_no) order by line_no)[1:10] as evidence,
    min(time) as "at",
    max(time) as until,
    case when host is not null then [host] end as hosts,
    'probable' as confidence,
    'critical' as severity,
    filesystem,
    process,
    pid,
    any_value(waits_in) as waits_in,
    count(*) as times
from hung
where not exists (from file_server_outage)
group by host, boot, filesystem, process, pid
having count(*) >= 3
qualify row_number() over (partition by host, filesystem order by count(*) desc, min(time)) = 1
