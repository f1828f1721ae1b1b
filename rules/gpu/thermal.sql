/*
title       = "Heat or power slowed a GPU or switch down"
severity    = "warning"
confidence  = "definite"
status      = "stable"
explains    = ["perf.slowdown"]
about       = "A GPU or switch lowered its clocks or its links because of heat or of the power supply, or the host shut down for heat."
remedy      = "Look at fans, air flow, liquid loop and power supplies of the node (ipmitool sdr); compare the temperatures of its neighbours; take the node out until it stays cool under load."
false_positives = "A software power cap that was set on purpose."
references  = ["https://docs.nvidia.com/deploy/nvidia-smi/index.html"]
*/
with
    events as (
        select
            host,
            file_id,
            line_no,
            time,
            gpu as device,
            'NVSwitch ' || gpu || ' is too hot (SXid ' || code || ')' as what,
            'warning' as severity,
            false as of_gpu
        from sxid
        where code in (10004, 10006)
        union all
        select
            host,
            file_id,
            line_no,
            time,
            device,
            device || ' reached its critical temperature, the host shut down',
            'critical',
            false
        from kernel_event
        where kind = 'thermal_shutdown'
        union all
        select
            host,
            file_id,
            line_no,
            time,
            gpu,
            'GPU ' || gpu || ': ' || key || ' is active',
            'warning',
            true
        from gpu_state
        where verdict = 'throttled'
        union all
        select
            host,
            file_id,
            line_no,
            time,
            gpu_index::varchar,
            'GPU ' || gpu_index || ' lowers its clocks for heat, as DCGM sees it',
            'warning',
            true
        from dcgm_health
    )
select
    concat(
        coalesce(host || ': ', ''),
        any_value(what),
        case when count(*) > 1 then format(', {} lines', count(*)) else '' end
    ) as summary,
    list(line_at(file_id, line_no) order by line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct host) filter (host is not null) as hosts,
    any_value(severity) as severity,
    case when bool_or(of_gpu) then [device] else [] end as gpus,
    device,
    count(*) as times
from events
group by host, device
