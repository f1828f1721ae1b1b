/*
title = "A compiler ran out of memory while an extension was built"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["crash.exception"]
explains_same_place = ["oom.host", "oom.cgroup"]
about = """
Template-heavy CUDA sources need many GB for one compiler process, and a build runs several at once.
The kernel (or a container's limit) then kills one of them: nvcc reports that cicc died due to
signal 9, gcc that cc1plus was killed, make that the command ended with 137. Definite where the
kernel's report names the compiler.
"""
false_positives = "Somebody else ended the compiler with SIGKILL (a time limit, a person)."
references = [
  "https://github.com/NVIDIA/TransformerEngine",
  "https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/",
]

summary = '''
{{ program or 'A compiler' }}{% if host %} on {{ host }}{% endif %} was killed: out of memory
{%- if anon_rss_bytes %} at {{ anon_rss_bytes | size }}{% endif %}
{%- if step and steps %}, at step {{ step }} of {{ steps }}{% endif %}
{%- if object %} ({{ object | cut }}){% endif %}
{%- if jobs %}, with {{ jobs | count('job') }}{% endif %}
'''

[[step]]
when = "not is_alone"
say = '''
Run fewer compilers at once: {{ jobs_to_try | count('job') }}
{%- if jobs and jobs > jobs_to_try %} instead of {{ jobs }}{% endif %}, with one nvcc thread each
{%- if anon_rss_bytes %}; count {{ anon_rss_bytes | size }} for every one{% endif %}.
'''
run = ['''
export MAX_JOBS={{ jobs_to_try }} CMAKE_BUILD_PARALLEL_LEVEL={{ jobs_to_try }}
NVCC_THREADS=1 NVTE_BUILD_THREADS_PER_JOB=1
''']

[[step]]
say = '''
{% if is_alone %}Make the work of the compiler smaller, since it ran alone{% else %}If one compiler
alone is still killed, make its work smaller{% endif %}: build only for the architecture of your
GPUs (here that of an H100), and split the source into files with fewer template instances.
'''
run = [
  "nvidia-smi --query-gpu=compute_cap --format=csv",
  "export TORCH_CUDA_ARCH_LIST=9.0 NVTE_CUDA_ARCHS=90 CMAKE_CUDA_ARCHITECTURES=90",
]

[[step]]
say = '''
Otherwise build where there is more memory (a larger host, swap, or a larger container limit
{%- if limit_bytes %}, now {{ limit_bytes | size }}{% endif %}), or install a prebuilt wheel.
'''
run = ["free -h", "cat /sys/fs/cgroup/memory.max"]
*/
with
    build as (
        select
            arg_min(program, line_no) filter (program is not null) as program,
            max(make_exit) as make_exit,
            -- where a line names both, the object and the step belong together
            arg_min(object, (step_no is null, line_no)) filter (object is not null) as object,
            arg_min(step_no, (object is null, line_no)) filter (step_no is not null) as step,
            max(steps) as steps,
            min(time) as first_time,
            max(time) as last_time,
            list(distinct host) filter (host is not null) as hosts,
            list(line_at(file_id, line_no) order by program is null, file_id, line_no) as lines
        from build_failure
        having count(*) > 0
    ),
    kernel_kill as (
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
        from kernel_oom_incident
        where is_compiler
        having count(*) > 0
    ),
    parallelism as (
        select jobs, threads, coalesce(jobs = 1 and coalesce(threads, 1) = 1, false) as is_alone
        from
            (
                select
                    max(try_cast(value as bigint)) filter (
                        name in ('MAX_JOBS', 'jobs', 'CMAKE_BUILD_PARALLEL_LEVEL')
                    ) as jobs,
                    max(try_cast(value as bigint)) filter (
                        name in ('NVTE_BUILD_THREADS_PER_JOB', 'NVCC_THREADS')
                    ) as threads
                from build_setting
            )
    )
select
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
    p.jobs,
    p.threads,
    case when p.is_alone then true end as is_alone,
    -- half as many, or as many as fit below the limit
    case
        when not p.is_alone
        then
            greatest(
                1,
                least(
                    coalesce(divide(p.jobs, 2), 1),
                    coalesce(divide(k.limit_bytes, nullif(k.anon_rss_bytes, 0)), p.jobs, 1)
                )
            )
    end as jobs_to_try,
    k.anon_rss_bytes,
    k.victim_pid,
    k.victims,
    k.limit_bytes
from build b
full join kernel_kill k on true
cross join parallelism p
