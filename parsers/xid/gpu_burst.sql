-- table: One row per burst: Xid and SXid messages of one machine less than three minutes apart,
-- with the one that caused the others (root_*; verdict: hardware | application | killed | service
-- | info). The root is the least in the order of causes, the earliest of equals; what a 45 names
-- as its cause wins on its GPU. gpus are those that the root hit, xids and sxids all codes.
with
    candidate as (
        select
            *,
            is_named
            and list_contains(
                list(distinct gpu) filter (root_order = least_order) over (
                    partition by machine, clock, era, burst
                ),
                gpu
            ) as is_named_on_its_gpu
        from gpu_burst_judged
    ),
    burst_root as (
        select
            machine,
            clock,
            era,
            burst,
            arg_min(
                c,
                (
                    case when is_named_on_its_gpu then 0 else 1 end,
                    root_order,
                    coalesce(t, line_no),
                    file_id,
                    line_no
                )
            ) as root
        from candidate c
        group by all
    ),
    part as (
        select
            r.root,
            p.*,
            p.kind <> 'sxid'
            and (
                p.gpu = r.root.gpu
                or p.code = r.root.cause_code
                or (p.code = 154 and r.root.class = 'nvlink')
                or (r.root.cause_code between 144 and 150 and p.previous between 144 and 150)
            ) as is_hit,
            -- what calls a silent firmware (119, 120) is not what hurts it
            p.pid is not null and p.gpu = r.root.gpu and p.code not in (119, 120) as is_culprit
        from burst_root r
        join gpu_burst_part p using (machine, clock, era, burst)
    )
select
    machine,
    clock,
    era,
    burst,
    root.verdict as verdict,
    root.kind as root_kind,
    root.cause_code as root_code,
    root.gpu as gpu,
    root.class as class,
    root.fatal as fatal,
    root.advice as advice,
    root.message as message,
    root.gpu_instance as gpu_instance,
    root.compute_instance as compute_instance,
    root.unit as unit,
    root.reason as link_down_reason,
    root.error_status as error_status,
    root.link as link,
    root.decoded_action as decoded_action,
    root.decoded_investigatory as decoded_investigatory,
    root.pid as pid,
    root.process as process,
    root.root_order as root_order,
    any_value(host) as host,
    min(t) as t,
    max(last_t) as last_t,
    root.time as time,
    max(last_time) as last_time,
    root.uptime_seconds as uptime_seconds,
    root.file_id as file_id,
    root.line_no as line_no,
    sum(lines)::bigint as lines,
    list_sort(list(distinct code) filter (kind in ('xid', 'lost') and code is not null)) as xids,
    list_sort(list(distinct code) filter (kind = 'sxid')) as sxids,
    list_sort(list(distinct part.gpu) filter (is_hit)) as gpus,
    arg_max(recovery, (coalesce(last_t, 0), part.line_no)) filter (
        recovery is not null
    ) as recovery_action,
    first(part.pid order by part.root_order, part.line_no) filter (is_culprit) as any_pid,
    first(part.process order by part.root_order, part.line_no) filter (is_culprit) as any_process,
    bool_or(code in (48, 63, 64, 94, 95, 140, 171, 172)) as memory,
    list_concat(
        any_value(root.evidence),
        flatten(list(part.evidence order by part.root_order, part.line_no))[1:20]
    ) as evidence
from part
group by all
