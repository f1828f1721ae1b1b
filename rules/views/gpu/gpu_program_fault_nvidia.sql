-- table: One row per Xid that a program caused, on all GPUs where it came within ten minutes:
-- ranks of one program fault together. verdict = application (it did what is not allowed) | killed
-- (it ended, and the driver cleaned up).
with
    program_burst as (
        select
            *,
            count(distinct concat(machine, gpu)) over (partition by root_code, verdict)
            = 1 as one_gpu,
            coalesce(
                t - max(last_t) over (
                    partition by root_code, verdict, clock
                    order by t
                    rows between unbounded preceding and 1 preceding
                )
                > 600,
                true
            ) as is_new
        from gpu_burst
        where verdict in ('application', 'killed')
    ),
    numbered as (
        select
            *,
            case
                when clock = 'wall' and not one_gpu
                then count_if(is_new) over (partition by root_code, verdict, clock order by t)
                else 0
            end as story
        from program_burst
    ),
    fault as (
        select
            root_code,
            verdict,
            arg_min(n, (case when n.t is null then 1 else 0 end, n.t)) as b,
            nullif(count(t), 0) as bursts,
            sum(lines)::bigint as lines,
            min(time) as "at",
            max(last_time) as until,
            list_sort(list_distinct(flatten(list(gpus)))) as gpus,
            list(distinct host) filter (host is not null) as hosts,
            list_sort(list_distinct(flatten(list(xids)))) as xids,
            arg_max(recovery_action, (coalesce(last_t, 0), line_no)) filter (
                recovery_action is not null
            ) as recovery_action,
            flatten(list(evidence order by t))[1:20] as evidence,
            list_distinct(
                flatten(list(case when any_pid is null then [] else [any_pid] end))
            ) as pids
        from numbered n
        group by root_code, verdict, story
    ),
    message_of_fault as (
        select
            *,
            case when root_code = 31 then b.message end as page_fault,
            case when root_code = 13 then b.message end as warp_exception
        from fault
    )
select
    evidence,
    "at",
    until,
    hosts,
    gpus,
    []::bigint[] as ranks,
    case
        when verdict = 'killed'
        then 'info'
        when f.root_code in (43, 108, 109, 137) or c.class = 'driver'
        then 'warning'
        else 'critical'
    end as severity,
    case when verdict = 'killed' or len(a.programs) > 2 then 'possible' end as confidence,
    'nvidia' as vendor,
    verdict,
    c.short_meaning as meaning,
    f.root_code as xid,
    xids,
    f.root_code as root_code,
    b.gpu as pci,
    b.any_pid as pid,
    b.any_process as process,
    pids,
    lines,
    bursts,
    b.advice as recommended_action,
    recovery_action,
    strftime("at", '%Y-%m-%dT%H:%M:%S') as first_time,
    nullif(
        trim(regexp_extract(warp_exception, 'Warp Exception on \([^)]*\): (.*)$', 1)), ''
    ) as exception_type,
    nullif(regexp_extract(page_fault, '(FAULT_[A-Z_]+)', 1), '') as fault_type,
    nullif(regexp_extract(page_fault, 'ACCESS_TYPE_([A-Z_]+)', 1), '') as access_type,
    nullif(regexp_extract(page_fault, 'ENGINE ([A-Z0-9]+)', 1), '') as engine,
    nullif(regexp_extract(page_fault, 'faulted @ (0x[0-9a-f_]+)', 1), '') as fault_address,
    a.place as same_unit,
    case when len(a.programs) > 2 then a.programs end as programs,
    b.gpu_instance as gpu_instance,
    b.compute_instance as compute_instance,
    null::varchar as error
from message_of_fault f
left join xid_catalog c on c.code = f.root_code
left join
    gpu_fault_again a
    on a.code = f.root_code
    and len(f.gpus) = 1
    and a.machine = f.b.machine
    and a.gpu = f.b.gpu
