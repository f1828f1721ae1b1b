-- table: One row per AMD GPU, or host, where a program accessed an address that is not mapped
-- (error = page fault) or its work did not end in time (ring timeout, of which ring). What the
-- program's runtime and the kernel tell is one fault, where each names one GPU: by its number
-- among the nodes, and by its address.
with
    fault_line as (
        select *
        from amdgpu_event
        where
            kind in ('page_fault', 'process', 'memory_access_fault')
            or kind = 'ring_timeout'
            and file_id in (select file_id from amd_program_sign)
    ),
    fault as (
        select
            -- old kernels tell the ring alone; the reset that follows names the GPU
            coalesce(
                arg_min(gpu, line_no) filter (gpu is not null),
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
            list_sort(list(distinct gpu) filter (gpu is not null)) as all_gpus,
            bool_or(kind = 'ring_timeout') as is_timeout,
            arg_min(pid, line_no) filter (kind in ('process', 'page_fault')) as pid,
            arg_min(process, line_no) filter (process is not null) as process,
            arg_min(block, line_no) filter (kind = 'ring_timeout') as ring,
            any_value(rank) as rank,
            min(time) as "at",
            max(time) as until,
            count(*) as lines,
            list(line_at(file_id, line_no) order by line_no)[1:20] as evidence
        from fault_line e
        group by host, file_id
        having bool_or(kind <> 'process')
    ),
    counted as (
        select
            *,
            gpu like 'node%' as is_by_runtime,
            gpu like '%:%' as is_by_kernel,
            count_if(gpu like 'node%') over () = 1
            and count_if(gpu like '%:%') over () = 1 as one_of_each
        from fault
    ),
    told_twice as (  -- what the kernel tells, with what the runtime tells of the same
        select k.*, r.evidence as runtime_evidence, r.rank as runtime_rank, r.lines as runtime_lines
        from counted k
        left join
            counted r
            on k.one_of_each
            and k.is_by_kernel
            and r.is_by_runtime
            and (r.host is null or k.host is null or r.host = k.host)
        where
            not k.one_of_each
            or k.is_by_kernel
            or not exists (
                from counted o
                where o.is_by_kernel and (o.host is null or k.host is null or o.host = k.host)
            )
    )
select
    list_concat(evidence, coalesce(runtime_evidence, []))[1:20] as evidence,
    "at",
    until,
    case when host is not null then [host] else [] end as hosts,
    case
        when gpu is null then [] when is_by_runtime then all_gpus else [pci_address(gpu)]
    end as gpus,
    case
        when coalesce(rank, runtime_rank) is not null then [coalesce(rank, runtime_rank)] else []
    end as ranks,
    'critical' as severity,
    'amd' as vendor,
    case when not is_by_runtime then pci_address(gpu) end as pci,
    pid,
    process,
    lines + coalesce(runtime_lines, 0) as lines,
    case when is_timeout then 'ring timeout' else 'page fault' end as error,
    ring
from told_twice
