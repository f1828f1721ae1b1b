/*
title       = "The GPU runtime returned an error to the program"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "crash", "loss.rollback"]
transient = true
about       = """
The first error of the CUDA or HIP runtime that each process printed; later ones of the same process repeat it, because the context is lost with the
first. Errors are reported asynchronously: the line of Python that raises is usually not the one that caused it. Without a kernel log it cannot be
told whether the program or the GPU is at fault, except where the error itself names the hardware.
"""
remedy      = "Get the kernel log of the host (dmesg -T | grep -i xid); run again with CUDA_LAUNCH_BLOCKING=1 to find the call that fails."
false_positives = "The program caught the error and went on (a probe of an optional feature)."
references  = ["https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html"]
*/
with
    firsts as (
        select *
        from cuda_error c
        where
            kind <> 'incompatible'
            and not (kind = 'oom' and said_as = 'quoted')
            -- while a graph is captured every other failure says so too; by itself it is the
            -- program's: a call that a capture does not allow
            and not (
                kind = 'capture'
                and (
                    exists (from cuda_error o where o.kind not in ('capture', 'incompatible'))
                    or exists (from oom_event)
                    or not exists (
                        from exception x
                        where
                            x.file_id = c.file_id
                            and c.line_no between x.line_no - 1 and x.line_no + 3
                    )
                )
            )
        qualify row_number() over (partition by file_id, stream order by line_no) = 1
    ),
    placed as (  -- the process's rank may stand in a later line only: where one rank alone tells of this error, it is that one's
        select f.* replace (coalesce(f.rank, o.rank) as rank)
        from firsts f
        left join
            (
                select file_id, stream, name, min(rank) as rank
                from cuda_error
                where rank is not null
                group by all
                having count(distinct rank) = 1
            ) o
            on o.file_id = f.file_id
            and o.name = f.name
            and o.stream is not distinct from f.stream
    ),
    kinds as (select *, bool_or(kind = 'hardware') over () as any_hardware from placed),
    grouped as (
        select
            code,
            name,
            kind,
            any_value(api) as api,
            list_sort(list(distinct rank) filter (rank is not null)) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list(distinct local_rank) filter (
                local_rank is not null and rank is null
            ) as local_ranks,
            list(distinct task) filter (task is not null and rank is null) as tasks,
            min(time) as at,
            max(time) as until,
            count(*) as processes,
            list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
            any_value(text) as text,
            arg_min(file_id, coalesce(epoch(time), line_no)) as file_id,
            arg_min(line_no, coalesce(epoch(time), line_no)) as line_no
        from kinds
        where not (any_hardware and kind = 'fault')
        group by code, name, kind
    ),
    framed as (  -- where the program was: pages of the host are pinned through the same call, with the same error
        select
            g.*,
            exists (
                from exception e
                where
                    e.file_id = g.file_id
                    and abs(e.line_no - g.line_no) <= 3
                    and len(
                        list_filter(e.frames, lambda f:regexp_matches(f, 'pin_memory|[Hh]ostAlloc'))
                    )
                    > 0
            )
            or exists (
                from pinned_call p
                where p.file_id = g.file_id and g.line_no - p.line_no between 1 and 3
            ) as pinned
        from grouped g
    ),
    asserts as (
        select
            any_value(source) as source,
            any_value(line) as line,
            any_value(kernel) as kernel,
            any_value(assertion) as assertion,
            count(*) as threads,
            list(line_at(file_id, line_no) order by file_id, line_no)[1:3] as evidence,
            list_sort(list(distinct rank) filter (rank is not null)) as ranks,
            min(time) as at
        from device_assert
    )
select
    concat(
        case
            when len(g.ranks) > 0
            then
                case when len(g.ranks) = 1 then 'rank ' else 'ranks ' end || ranges(g.ranks) || ': '
            else ''
        end,
        name,
        case when code is not null then ' (' || code || ')' else '' end,
        case when kind <> 'library' and lower(text) <> lower(name) then ', ' || text else '' end,
        case
            when a.assertion is not null
            then format(': assert `{}` at {}:{}', a.assertion, a.source, a.line)
            else ''
        end
    ) as summary,
    flatten([g.evidence, coalesce(a.evidence, [])]) as evidence,
    g.ranks,
    g.hosts,
    g.at,
    g.until,
    -- a library that could not make its handle, in a job whose memory is known to have run out:
    -- an echo
    case
        when kind = 'config'
        then 'warning'
        when
            kind = 'library'
            and (name like '%ALLOC_FAILED' or name like '%NOT_INITIALIZED')
            and exists (from oom_failure where survived is null)
        then 'info'
        else 'critical'
    end as severity,
    case
        kind
        when 'hardware'
        then 'definite'
        when 'assert'
        then 'definite'
        when 'access'
        then 'definite'
        else 'probable'
    end as confidence,
    case
        when code = 214 or code = 220 or code = 226
        then
            'The GPU or its link has an uncorrectable error: take the node'
            || case when len(g.hosts) > 0 then ' ' || array_to_string(g.hosts, ', ') else '' end
            || ' out, look for Xid 48, 63, 64, 94, 95 or 74 in its kernel log, reset the GPU.'
        when code = 802
        then
            'Start nvidia-fabricmanager and look at its log: NVSwitch systems do not initialise CUDA without it.'
        when code in (46, 100, 127, 304)
        then
            'See whether nvidia-smi lists every GPU of the node, and the kernel log for Xid 79 or 119; look for processes in exclusive mode.'
        when kind = 'oom' and pinned
        then
            'Pinned host memory could not be had, not memory of the card: look at the host''s free memory, ulimit -l and the cgroup''s limit; use fewer workers with pin_memory or a smaller offload buffer.'
        when kind = 'oom'
        then
            'The card was full or broken before the program used it: look with nvidia-smi for processes left over, then for ECC errors of that GPU; a smaller batch does not help.'
        when kind = 'capture'
        then
            'A call that waits for the GPU, allocates outside the graph''s pool or uses another stream is not allowed while a graph is captured: find it in the stack below, warm it up before the capture, or run without CUDA graphs.'
        when kind = 'assert'
        then
            'An index or label is out of range: check it on the CPU, or run with CUDA_LAUNCH_BLOCKING=1.'
        when kind = 'access'
        then
            'Run under compute-sanitizer or with CUDA_LAUNCH_BLOCKING=1; look for Xid 13 or 31 in the kernel log to see which GPU and process.'
        when name = 'HSA_STATUS_ERROR_OUT_OF_RESOURCES'
        then
            'The runtime could not get a queue, scratch memory or a signal for a kernel; the card''s memory need not be full (the line says what was free). Look in the kernel log for amdgpu and kfd errors, at the number of processes on the GPU, ulimit -n and -l; run again with AMD_SERIALIZE_KERNEL=3 to find the kernel.'
        when api = 'hip' and kind in ('fault', 'access')
        then
            'Look in the kernel log (dmesg -T | grep -i amdgpu) for page faults, ring timeouts and RAS errors; run again with AMD_SERIALIZE_KERNEL=3 and HIP_LAUNCH_BLOCKING=1 to find the kernel.'
        when api = 'level_zero'
        then
            'Look in the kernel log (dmesg -T | grep -iE "xe|i915") for a GPU hang or reset; Intel''s driver loses the device too where more memory is asked for than there is: lower the batch and watch xpu-smi.'
        when kind = 'library'
        then
            'Often the sign of an earlier error or of a full card: look at the free memory at that moment and run with CUDA_LAUNCH_BLOCKING=1.'
    end as action,
    name as cuda_error,
    name as error,
    code as cuda_error_code,
    kind,
    case when pinned and kind = 'oom' then true end as pinned_host_memory,
    api,
    case when len(g.local_ranks) = 1 then g.local_ranks[1] end as local_rank,
    case when len(g.tasks) = 1 then g.tasks[1] end as task,
    g.processes,
    a.assertion,
    a.kernel,
    a.source,
    a.line,
    (
        select min_by(upper(o.api) || ' error: ' || o.text, (o.file_id, o.line_no))
        from grouped o
        where o.name <> g.name and g.kind = 'hardware'
    ) as second_error,
    (
        select max(m.step) from metric m where m.file_id = g.file_id and m.line_no < g.line_no
    ) as iteration
from framed g
left join asserts a on g.kind = 'assert' and a.threads > 0
union all by name
select
    format('assert `{}` failed in kernel {} ({}:{})', assertion, kernel, source, line) as summary,
    evidence,
    ranks,
    "at",
    'definite' as confidence,
    'critical' as severity,
    'An index or label is out of range: check it on the CPU, or run with CUDA_LAUNCH_BLOCKING=1.'
    as action,
    'cudaErrorAssert' as cuda_error,
    'cudaErrorAssert' as error,
    710 as cuda_error_code,
    'assert' as kind,
    assertion,
    kernel,
    source,
    line
from asserts
where threads > 0 and not exists (select 1 from grouped where kind = 'assert')
union all by name
-- NCCL gives up because of an error of the runtime, and the log does not say which.
select
    coalesce('rank ' || ranges(list(distinct e.rank) filter (e.rank is not null)) || ': ', '')
    || 'a call of NCCL to the GPU runtime failed; which error it was is not in this log' as summary,
    list(line_at(e.file_id, e.line_no) order by e.file_id, e.line_no)[:20] as evidence,
    list_sort(list(distinct e.rank) filter (e.rank is not null)) as ranks,
    list(distinct e.host) filter (e.host is not null) as hosts,
    min(e.time) as "at",
    max(e.time) as until,
    'warning' as severity,
    'possible' as confidence,
    'Run again with NCCL_DEBUG=WARN: NCCL then prints the error of the runtime and the call that failed.'
    as action,
    count(*) as processes,
    any_value(e.error) as error
from c10d_nccl_error e
where
    e.error like 'unhandled cuda error%'
    and not exists (from cuda_error)
    and not exists (from nccl_cuda_failure)
    and not exists (from nccl_usage)
    and not exists (from oom_event)
    and not exists (from nccl_shm_failure)
    and not exists (from kernel_event)
    and not exists (from fatal_exception where kind <> 'collective')
having count(*) > 0
