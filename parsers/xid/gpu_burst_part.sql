-- table: One row per code of a GPU or switch in a burst: messages of one machine and boot less than
-- three minutes apart are one burst. Where no times are known, all messages of a boot are one.
with
    timed as (
        select
            *,
            -- boots are counted within a file
            case when boot > 0 then file_id || ':' || boot else '' end as era,
            t - max(last_t) over (
                partition by machine, clock, era
                order by t, file_id, line_no
                rows between unbounded preceding and 1 preceding
            ) as silence
        from gpu_minute
    ),
    numbered as (
        select
            *,
            case
                when clock = 'none'
                then 0
                else
                    count_if(coalesce(silence > 180, true)) over (
                        partition by machine, clock, era order by t, file_id, line_no
                    )
            end as burst
        from timed
    )
select
    machine,
    clock,
    era,
    burst,
    kind,
    gpu,
    code,
    fatal,
    recovery,
    previous,
    verdict,
    root_order,
    advice,
    class,
    unit,
    reason,
    error_status,
    decoded_action,
    decoded_investigatory,
    any_value(host) as host,
    sum(lines)::bigint as lines,
    min(t) as t,
    max(last_t) as last_t,
    min(time) as time,
    max(last_time) as last_time,
    min(uptime_seconds) as uptime_seconds,
    any_value(gpu_uuid) as gpu_uuid,
    arg_min(gpu_instance, (coalesce(t, 0), line_no)) as gpu_instance,
    arg_min(compute_instance, (coalesce(t, 0), line_no)) as compute_instance,
    arg_min(file_id, (coalesce(t, 0), line_no)) as file_id,
    arg_min(line_no, (coalesce(t, 0), line_no)) as line_no,
    arg_min(pid, (coalesce(t, 0), line_no)) filter (pid is not null) as pid,
    arg_min(process, (coalesce(t, 0), line_no)) filter (pid is not null) as process,
    arg_min(message, (coalesce(t, 0), line_no)) as message,
    arg_min(link, (coalesce(t, 0), line_no)) as link,
    arg_min(
        list_transform(first_lines, lambda n:line_at(file_id, n)), (coalesce(t, 0), line_no)
    ) as evidence
from numbered
group by all
