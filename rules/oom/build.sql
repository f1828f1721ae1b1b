/*
title         = "A compiler was killed for want of memory while an extension was built"
severity      = "critical"
confidence    = "probable"
status        = "stable"
explains      = ["crash.exception"]
explains_here = ["oom.host", "oom.cgroup"]
about         = """
Template-heavy CUDA sources need many GB for one compiler process, and a build runs several at once. The kernel (or a
container's limit) then kills one of them: nvcc says that cicc died due to signal 9, gcc that cc1plus was killed, make that
the command ended with 137. Definite where the kernel's report names the compiler.
"""
remedy        = "Run fewer jobs (MAX_JOBS, NVTE_BUILD_THREADS_PER_JOB, CMAKE_BUILD_PARALLEL_LEVEL), build for fewer architectures (TORCH_CUDA_ARCH_LIST, NVTE_CUDA_ARCHS), add swap or memory, or install a wheel."
falsely       = "Somebody else ended the compiler with SIGKILL (a time limit, a person)."
references    = ["https://github.com/NVIDIA/TransformerEngine"]
*/
WITH said AS (
  SELECT file_id, line_no, time, host, program, make_exit, object, step_no, steps, 1 AS tier FROM build_failure
),
kernel AS (
  SELECT * FROM kernel_oom_incident WHERE is_compiler
),
jobs AS (
  SELECT max(TRY_CAST(value AS BIGINT)) FILTER (name IN ('MAX_JOBS', 'jobs', 'CMAKE_BUILD_PARALLEL_LEVEL')) AS jobs,
         max(TRY_CAST(value AS BIGINT)) FILTER (name IN ('NVTE_BUILD_THREADS_PER_JOB', 'NVCC_THREADS')) AS threads
  FROM build_setting
),
build AS (
  SELECT count(*) AS lines_said, arg_min(program, line_no) FILTER (program IS NOT NULL) AS program, max(make_exit) AS make_exit, arg_min(object, (step_no IS NULL, line_no)) FILTER (object IS NOT NULL) AS object,
         arg_min(step_no, (object IS NULL, line_no)) FILTER (step_no IS NOT NULL) AS step, max(steps) AS steps, min(time) AS first_time, max(time) AS last_time,
         list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, list(line_at(file_id, line_no) ORDER BY program IS NULL, file_id, line_no) AS lines, count(DISTINCT object) AS objects
  FROM said HAVING count(*) > 0
),
killed AS (
  SELECT min(process) AS process, max(anon_rss_bytes) AS anon_rss_bytes, min(victim_pid) AS victim_pid, sum(victims)::BIGINT AS victims, max(limit_bytes) AS limit_bytes,
         min(first_time) AS first_time, max(last_time) AS last_time, list(DISTINCT hosts[1]) FILTER (len(hosts) > 0) AS hosts, list(line_at(file_id, line_no)) AS lines
  FROM kernel HAVING count(*) > 0
)
SELECT coalesce(b.program, k.process, 'a compiler') || ' was killed for want of memory' || coalesce(' at step ' || b.step || ' of ' || b.steps, '') || coalesce(' (' || b.object || ')', '')
         || coalesce('; the kernel saw it at ' || known_bytes(k.anon_rss_bytes), '') || CASE WHEN j.jobs = 1 THEN ', with a single job' ELSE coalesce(', with ' || j.jobs || ' jobs', '') END AS summary,
       CASE WHEN j.jobs = 1 AND coalesce(j.threads, 1) = 1 THEN 'One process alone needs more than there is' || coalesce(' (' || known_bytes(k.anon_rss_bytes) || ' at its end)', '') || ': build for fewer architectures (TORCH_CUDA_ARCH_LIST, NVTE_CUDA_ARCHS), add swap or memory, or install a prebuilt wheel.'
            ELSE 'Run fewer compilers at once: MAX_JOBS=' || CASE WHEN j.jobs > 2 THEN j.jobs // 2 ELSE 1 END || ', NVTE_BUILD_THREADS_PER_JOB=1, CMAKE_BUILD_PARALLEL_LEVEL=1'
                 || coalesce('; count ' || known_bytes(k.anon_rss_bytes) || ' for each', '') || '. If one alone is still killed: fewer architectures (TORCH_CUDA_ARCH_LIST, NVTE_CUDA_ARCHS), swap, or a prebuilt wheel.' END AS action,
       list_concat(coalesce(b.lines, []), coalesce(k.lines, [])) AS evidence,
       least(b.first_time, k.first_time) AS "at", greatest(b.last_time, k.last_time) AS until, list_distinct(list_concat(coalesce(b.hosts, []), coalesce(k.hosts, []))) AS hosts,
       CASE WHEN k.process IS NOT NULL THEN 'definite' ELSE 'probable' END AS confidence,
       coalesce(b.program, k.process) AS program, coalesce(k.process, b.program) AS process, b.step, b.steps, b.object, b.make_exit, j.jobs, j.threads, k.anon_rss_bytes, k.victim_pid, k.victims, k.limit_bytes
FROM build b FULL JOIN killed k ON true CROSS JOIN jobs j
