/*
title       = "The program made a GPU access that is not allowed"
severity    = "critical"
confidence  = "probable"
status      = "stable"
explains    = ["gpu.cuda_error", "hang", "network.peer_lost", "network.connect_failure", "crash", "loss.rollback"]
transient = true
about       = """
The driver stopped a GPU context because the program running in it read or wrote where it must not, sent an illegal instruction or did not yield
the GPU. The GPU is healthy. The codes 43 and 45 that follow only say that the channel was taken down.
"""
remedy      = "Run again with CUDA_LAUNCH_BLOCKING=1 or under compute-sanitizer to find the kernel; look at indexes out of range, custom kernels and library versions."
false_positives = "The same place (GPC, TPC, SM) of one GPU faults under unrelated programs: then the GPU is suspect, not the program."
references  = ["https://docs.nvidia.com/deploy/xid-errors/"]
*/
with
    apart as (
        select
            *,
            count(distinct machine || coalesce(gpu, '')) over (partition by root_code, verdict)
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
    bursts as (  -- ranks of one program fault together; other GPUs at another time are another story
        select
            *,
            case
                when clock = 'wall' and not one_gpu
                then count_if(is_new) over (partition by root_code, verdict, clock order by t)
                else 0
            end as story
        from apart
    ),
    places as (  -- faults again and again: always in the same unit of one GPU, or in one GPU whatever program runs there?
        select
            machine,
            gpu,
            code,
            case when count(distinct place) = 1 then any_value(place) end as place,
            list_sort(list(distinct process) filter (process is not null)) as programs
        from
            (
                select
                    b.machine,
                    b.gpu,
                    x.code,
                    regexp_replace(x.process, '[0-9:_-]+$', '') as process,
                    nullif(
                        regexp_extract(
                            x.message,
                            case
                                x.code
                                when 13
                                then '\((GPC [0-9]+, TPC [0-9]+(?:, SM [0-9]+)?)\)'
                                else 'ENGINE [A-Z0-9]+ ((?:GPC[0-9]+ )?[A-Z]*CLIENT_[A-Z0-9_]+)'
                            end,
                            1
                        ),
                        ''
                    ) as place
                from xid_line x
                join kernel_file f using (file_id)
                join
                    (
                        select machine, gpu, root_code
                        from gpu_burst
                        where root_code in (13, 31)
                        group by all
                        having count(*) >= 3
                    ) b
                    on b.machine = coalesce(x.host, f.otherwise)
                    and b.gpu = pci_address(x.gpu)
                    and x.code = b.root_code
            )
        group by all
        having count(distinct place) = 1 or count(distinct process) > 2
    ),
    merged as (
        select
            root_code,
            verdict,
            story,
            arg_min(b, (case when b.t is null then 1 else 0 end, b.t)) as r,
            nullif(count(t), 0) as bursts,
            sum(lines)::bigint as lines,
            min(time) as at,
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
        from bursts b
        group by root_code, verdict, story
    ),
    amd as (
        select
            coalesce(
                arg_min(gpu, line_no) filter (gpu is not null),  -- old kernels tell the ring alone; the reset that follows names the GPU
                (
                    select arg_min(r.gpu, r.line_no)
                    from amdgpu_event r
                    where
                        r.file_id = e.file_id
                        and r.host is not distinct from e.host
                        and r.gpu is not null
                        and r.kind in ('reset', 'reset_failed')
                        and r.line_no between min(e.line_no) and min(e.line_no) + 40
                )
            ) as gpu,
            host,
            file_id,
            list(distinct kind) as kinds,
            arg_min(pid, line_no) filter (kind in ('process', 'page_fault')) as pid,
            arg_min(process, line_no) filter (process is not null) as process,
            arg_min(block, line_no) filter (kind = 'ring_timeout') as block,
            any_value(rank) as rank,
            min(time) as at,
            max(time) as until,
            count(*) as lines,
            list(line_at(file_id, line_no) order by line_no)[1:20] as evidence
        from amdgpu_event e
        where kind in ('page_fault', 'ring_timeout', 'process', 'memory_access_fault')
        group by host, file_id
        having bool_or(kind <> 'process')
    ),
    amd_faults as (  -- the program's runtime and the kernel tell one fault, where each names one GPU: by its number among the nodes, and by its address
        select
            k.* replace (
                list_concat(k.evidence, coalesce(r.evidence, []))[1:20] as evidence,
                coalesce(k.rank, r.rank) as rank,
                k.lines + coalesce(r.lines, 0) as lines
            )
        from
            (
                select
                    *,
                    count_if(gpu like 'node%') over () as by_runtime,
                    count_if(gpu like '%:%') over () as by_kernel
                from amd
            ) k
        left join
            amd r
            on k.by_runtime = 1
            and k.by_kernel = 1
            and k.gpu like '%:%'
            and r.gpu like 'node%'
            and (r.host is null or k.host is null or r.host = k.host)
        where
            not (
                k.by_runtime = 1
                and k.by_kernel = 1
                and k.gpu like 'node%'
                and exists (
                    from amd o
                    where o.gpu like '%:%' and (o.host is null or k.host is null or o.host = k.host)
                )
            )
    )
select
    concat(
        'GPU ',
        array_to_string(gpus[1:8], ', '),
        case
            when len(hosts) > 0 then ' of ' || array_to_string(list_sort(hosts)[1:5], ', ') else ''
        end,
        ': Xid ',
        m.root_code,
        ', ',
        coalesce(c.short_meaning, 'not in the catalogue'),
        case
            when r.gpu_instance is not null then ', in its MIG instance ' || r.gpu_instance else ''
        end,
        case
            when r.any_process is not null
            then format(' (process {}, pid {})', r.any_process, r.any_pid)
            when r.any_pid is not null
            then format(' (pid {})', r.any_pid)
            else ''
        end,
        case when lines > 1 then format(', {} lines', lines) else '' end
    ) as summary,
    evidence,
    "at",
    until,
    hosts,
    gpus,
    case
        when verdict = 'killed'
        then 'info'
        when m.root_code in (43, 109, 108, 137) or c.class = 'driver'
        then 'warning'
        else 'critical'
    end as severity,
    case when verdict = 'killed' or len(p.programs) > 2 then 'possible' end as confidence,
    case
        when verdict = 'killed'
        then
            'The driver only cleaned up after a process that ended or was killed: look for what ended it.'
        when len(p.programs) > 2
        then
            format(
                'Unrelated programs ({}) fault on this one GPU: run one of them on another GPU; if it does not fault there, diagnose this GPU (dcgmi diag -r 3) and take it out.',
                array_to_string(p.programs[1:4], ', ')
            )
        when p.place is not null
        then
            format(
                'Every one of {} faults is in the same unit ({}): run the same program on another GPU; if it does not fault there, or other programs fault here, diagnose this GPU (dcgmi diag -r 3). Else find the fault in the program.',
                bursts,
                p.place
            )
        when recovery_action is not null or m.root_code = 109
        then
            'Find the fault in the program (CUDA_LAUNCH_BLOCKING=1, compute-sanitizer); reset the GPU before the next job.'
    end as action,
    'nvidia' as vendor,
    m.root_code as xid,
    xids,
    m.root_code as root_code,
    r.gpu as pci,
    r.any_pid as pid,
    r.any_process as process,
    pids,
    lines,
    bursts,
    r.advice as recommended_action,
    recovery_action,
    strftime("at", '%Y-%m-%dT%H:%M:%S') as first_time,
    case
        when m.root_code = 13
        then nullif(trim(regexp_extract(r.message, 'Warp Exception on \([^)]*\): (.*)$', 1)), '')
    end as exception_type,
    case
        when m.root_code = 31 then nullif(regexp_extract(r.message, '(FAULT_[A-Z_]+)', 1), '')
    end as fault_type,
    case
        when m.root_code = 31 then nullif(regexp_extract(r.message, 'ACCESS_TYPE_([A-Z_]+)', 1), '')
    end as access_type,
    case
        when m.root_code = 31 then nullif(regexp_extract(r.message, 'ENGINE ([A-Z0-9]+)', 1), '')
    end as engine,
    case
        when m.root_code = 31
        then nullif(regexp_extract(r.message, 'faulted @ (0x[0-9a-f_]+)', 1), '')
    end as fault_address,
    p.place as same_unit,
    case when len(p.programs) > 2 then p.programs end as programs,
    r.gpu_instance as gpu_instance,
    r.compute_instance as compute_instance,
    null::varchar as error,
    []::bigint[] as ranks
from merged m
left join xid_catalog c on c.code = m.root_code
left join
    places p
    on p.code = m.root_code
    and len(m.gpus) = 1
    and p.machine = m.r.machine
    and p.gpu = m.r.gpu
union all by name
select
    concat(
        'AMD GPU ',
        coalesce(gpu, 'without an address'),
        case when host is not null then ' of ' || host else '' end,
        ': ',
        case
            when list_contains(kinds, 'ring_timeout')
            then 'work on ring ' || coalesce(block, '?') || ' did not end in time'
            else 'the program accessed an address that is not mapped'
        end,
        case when process is not null then format(' (process {}, pid {})', process, pid) else '' end
    ) as summary,
    evidence,
    "at",
    until,
    case when host is not null then [host] else [] end as hosts,
    case
        when gpu is null then [] when gpu like 'node%' then [gpu] else [pci_address(gpu)]
    end as gpus,
    'critical' as severity,
    'Run again with AMD_SERIALIZE_KERNEL=3 and HIP_LAUNCH_BLOCKING=1 to find the kernel.' as action,
    'amd' as vendor,
    case when gpu not like 'node%' then pci_address(gpu) end as pci,
    pid,
    process,
    lines,
    case
        when list_contains(kinds, 'ring_timeout') then 'ring timeout' else 'page fault'
    end as error,
    case when rank is not null then [rank] else [] end as ranks
from amd_faults
union all by name
select
    format(
        'Gaudi {}{}: ',
        array_to_string(list_sort(list(distinct gpu))[1:8], ', '),
        coalesce(' of ' || host, '')
    ) || case
        when bool_or(kind = 'page_fault')
        then 'the program accessed an address that is not mapped'
        else 'work of the program did not end in time'
    end as summary,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    case when host is not null then [host] else [] end as hosts,
    list_sort(list(distinct gpu) filter (gpu is not null)) as gpus,
    case when bool_or(kind = 'page_fault') then 'critical' else 'warning' end as severity,
    'Find the graph that was running (LOG_LEVEL_ALL=3 in the program''s environment, the logs in HABANA_LOGS); a rank that waits for another in a collective times out so too: look for the rank that is missing.'
    as action,
    'intel' as vendor,
    case when bool_or(kind = 'page_fault') then 'page fault' else 'timeout' end as error,
    count(*) as lines
from accelerator_event
where kind in ('page_fault', 'timeout')
group by host, file_id
