/*
title         = "A compiler was killed for want of memory while an extension was built"
severity      = "critical"
confidence    = "probable"
status        = "stable"
explains      = ["crash.exception"]
explains_same_place = ["oom.host", "oom.cgroup"]
about         = """
Template-heavy CUDA sources need many GB for one compiler process, and a build runs several at once. The kernel (or a
container's limit) then kills one of them: nvcc says that cicc died due to signal 9, gcc that cc1plus was killed, make that
the command ended with 137. Definite where the kernel's report names the compiler.
"""
remedy        = "Run fewer jobs (MAX_JOBS, NVTE_BUILD_THREADS_PER_JOB, CMAKE_BUILD_PARALLEL_LEVEL), build for fewer architectures (TORCH_CUDA_ARCH_LIST, NVTE_CUDA_ARCHS), add swap or memory, or install a wheel."
false_positives = "Somebody else ended the compiler with SIGKILL (a time limit, a person)."
references    = ["https://github.com/NVIDIA/TransformerEngine"]
*/
with
    said as (
        select file_id, line_no, time, host, program, make_exit, object, step_no, steps, 1 as tier
        from build_failure
    ),
    kernel as (select * from kernel_oom_incident where is_compiler),
    jobs as (
        select
            max(try_cast(value as bigint)) filter (
                name in ('MAX_JOBS', 'jobs', 'CMAKE_BUILD_PARALLEL_LEVEL')
            ) as jobs,
            max(try_cast(value as bigint)) filter (
                name in ('NVTE_BUILD_THREADS_PER_JOB', 'NVCC_THREADS')
            ) as threads
        from build_setting
    ),
    build as (
        select
            count(*) as lines_said,
            arg_min(program, line_no) filter (program is not null) as program,
            max(make_exit) as make_exit,
            arg_min(object, (step_no is null, line_no)) filter (object is not null) as object,
            arg_min(step_no, (object is null, line_no)) filter (step_no is not null) as step,
            max(steps) as steps,
            min(time) as first_time,
            max(time) as last_time,
            list(distinct host) filter (host is not null) as hosts,
            list(line_at(file_id, line_no) order by program is null, file_id, line_no) as lines,
            count(distinct object) as objects
        from said
        having count(*) > 0
    ),
    killed as (
        select
            min(process) as process,
            max(anon_rss_bytes) as anon_rss_bytes,
            min(victim_pid) as victim_pid,
            sum(victims)::bigint as victims,
            max(limit_bytes) as limit_bytes,
            min(first_time) as first_time,
            max(last_time) as last_time,
            list(distinct hosts[1]) filter (len(hosts) > 0) as hosts,
            list(line_at(file_id, line_no)) as lines
        from kernel
        having count(*) > 0
    )
select
    coalesce(b.program, k.process, 'a compiler')
    || ' was killed for want of memory'
    || coalesce(' at step ' || b.step || ' of ' || b.steps, '')
    || coalesce(' (' || b.object || ')', '')
    || coalesce('; the kernel saw it at ' || known_bytes(k.anon_rss_bytes), '')
    || case
        when j.jobs = 1 then ', with a single job' else coalesce(', with ' || j.jobs || ' jobs', '')
    end as summary,
    case
        when j.jobs = 1 and coalesce(j.threads, 1) = 1
        then
            'One process alone needs more than there is'
            || coalesce(' (' || known_bytes(k.anon_rss_bytes) || ' at its end)', '')
            || ': build for fewer architectures (TORCH_CUDA_ARCH_LIST, NVTE_CUDA_ARCHS), add swap or memory, or install a prebuilt wheel.'
        else
            'Run fewer compilers at once: MAX_JOBS='
            || case when j.jobs > 2 then divide(j.jobs, 2) else 1 end
            || ', NVTE_BUILD_THREADS_PER_JOB=1, CMAKE_BUILD_PARALLEL_LEVEL=1'
            || coalesce('; count ' || known_bytes(k.anon_rss_bytes) || ' for each', '')
            || '. If one alone is still killed: fewer architectures (TORCH_CUDA_ARCH_LIST, NVTE_CUDA_ARCHS), swap, or a prebuilt wheel.'
    end as action,
    list_concat(coalesce(b.lines, []), coalesce(k.lines, [])) as evidence,
    least(b.first_time, k.first_time) as "at",
    greatest(b.last_time, k.last_time) as until,
    list_distinct(list_concat(coalesce(b.hosts, []), coalesce(k.hosts, []))) as hosts,
    case when k.process is not null then 'definite' else 'probable' end as confidence,
    coalesce(b.program, k.process) as program,
    coalesce(k.process, b.program) as process,
    b.step,
    b.steps,
    b.object,
    b.make_exit,
    j.jobs,
    j.threads,
    k.anon_rss_bytes,
    k.victim_pid,
    k.victims,
    k.limit_bytes
from build b
full join killed k on true
cross join jobs j
