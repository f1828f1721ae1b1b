/*
title      = "The machine ran out of memory: the kernel killed a process"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "divergence.collective_count", "divergence.stack", "crash.exception", "crash.signal", "loss.rollback"]
explains_here = ["gpu.application"]
momentary     = true
about      = """
The kernel's OOM killer ended a process because the whole machine (or the NUMA nodes it may use) had no memory left.
The process that is named in "invoked oom-killer" only asked last; the victim is in the line "Killed process".
"""
remedy     = "Use less host memory per node: fewer data loader workers, smaller prefetch and caches, offload less to the CPU, load checkpoints one rank at a time; then look for a leak in the largest holders."
falsely    = "Graded possible where only a data loader says that its worker was killed: any SIGKILL looks so; and for std::bad_alloc, which a wrong size gives too."
references = ["https://docs.kernel.org/admin-guide/mm/concepts.html#oom-killer"]
*/
SELECT 'out of memory on ' || coalesce('NUMA node' || CASE WHEN regexp_matches(numa_nodes, '[,-]') THEN 's ' ELSE ' ' END || numa_nodes || ' of ', '') || CASE coalesce(len(hosts), 0) WHEN 0 THEN 'the host' WHEN 1 THEN hosts[1] ELSE len(hosts) || ' hosts' END || CASE WHEN numa_nodes IS NOT NULL THEN ', beyond which the process may not go' ELSE '' END || ': ' || CASE WHEN what LIKE '%earlyoom' THEN 'earlyoom' ELSE 'the kernel' END || ' killed ' || process || ' (pid ' || victim_pid || ')'
         || coalesce(' with ' || known_bytes(anon_rss_bytes + coalesce(shmem_rss_bytes, 0)) || ' resident', '') || CASE WHEN victims > 1 THEN ' and ' || (victims - 1) || ' more' ELSE '' END
         || CASE scope WHEN 'unknown' THEN '; the lines that tell a full machine from a full memory cgroup are missing' ELSE '' END AS summary,
       CASE WHEN numa_nodes IS NOT NULL THEN 'Other NUMA nodes may have had room: bind the ranks to different nodes, or let them go beyond theirs (numactl --preferred or --interleave instead of --membind, a wider cpuset.mems). ' ELSE '' END || 'Use less host memory on this node: fewer data loader workers, smaller prefetch and caches, less offload to the CPU, checkpoints loaded by one rank at a time.'
         || coalesce(' Largest holders: ' || array_to_string(list_transform(top_tasks[:3], lambda x: x.process || ' (' || x.pid || ') ' || bytes_text(x.rss_pages * coalesce(page_bytes, 4096))), ', ') || '.', '') AS action,
       list_concat(list_filter([line_at(file_id, line_no), line_at(file_id, constraint_line), line_at(file_id, report_line)], lambda e: e.line_no IS NOT NULL), lines) AS evidence,
       first_time AS "at", last_time AS until, list_filter(ranks, lambda r: r IS NOT NULL) AS ranks, hosts, CASE scope WHEN 'unknown' THEN 'possible' END AS confidence,
       victim_pid, process AS victim, victim_pid AS pid, process, anon_rss_bytes, shmem_rss_bytes, total_vm_bytes, constraint_kind AS "constraint", numa_nodes, task_memcg, invoker,
       victims, CASE WHEN victims > 1 THEN victim_pids END AS victim_pids, table_rss_pages, page_bytes,
       list_transform(top_tasks, lambda x: x.process || ' ' || x.pid || ' ' || x.rss_pages || ' pages') AS top_holders, CASE WHEN what LIKE '%earlyoom' THEN 'earlyoom' ELSE 'kernel' END AS actor, NULL AS worker_pids, NULL AS cgroup, NULL::BIGINT AS requested_bytes, NULL::BIGINT AS used_bytes, NULL::BIGINT AS total_bytes
FROM kernel_oom_incident WHERE scope = 'host' OR (scope = 'unknown' AND NOT EXISTS (FROM kernel_oom_incident WHERE scope <> 'unknown') AND NOT EXISTS (FROM scheduler_event WHERE event = 'oom_kill'))
UNION ALL BY NAME
SELECT CASE reason WHEN 'swap' THEN 'memory and swap were nearly full: systemd-oomd killed ' || min(cgroup)
                    WHEN 'ray' THEN 'memory of node ' || coalesce(min(host), '?') || ' was nearly full' || coalesce(' (' || known_bytes(max(used_bytes)) || ' of ' || bytes_text(max(limit_bytes)) || ')', '') || ': Ray killed its workers'
                    ELSE 'the kernel''s OOM killer killed a process of ' || min(cgroup) || '; whether the machine or the unit''s limit was full is not said' END AS summary,
       CASE reason WHEN 'ray' THEN 'Give each task more memory (memory=, num_cpus), run fewer at once, or spread them over more nodes; ray memory --stats-only shows what the object store holds.'
                   WHEN 'kernel' THEN 'Read the kernel log of the host (dmesg -T, journalctl -k) for the report: it names the limit and the largest holders.' END AS action,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no) AS evidence, min(time) AS "at", max(time) AS until,
       list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, min(cgroup) AS cgroup, CASE reason WHEN 'ray' THEN 'ray' WHEN 'swap' THEN 'systemd-oomd' ELSE 'kernel' END AS actor,
       CASE reason WHEN 'kernel' THEN 'possible' END AS confidence, max(used_bytes) AS used_bytes, CASE reason WHEN 'ray' THEN max(limit_bytes) END AS total_bytes
FROM oomd_kill WHERE reason IN ('swap', 'ray') OR (reason = 'kernel' AND NOT EXISTS (FROM kernel_oom_incident) AND NOT EXISTS (FROM scheduler_event WHERE event = 'oom_kill'))
GROUP BY reason
UNION ALL BY NAME
SELECT 'data loader worker' || CASE count(DISTINCT worker_pid) WHEN 1 THEN ' ' || min(worker_pid) || ' was' ELSE 's were' END || ' killed (SIGKILL) and nothing else says by whom: the OOM killer is the likeliest' AS summary,
       'Look for "Killed process" in the kernel log of the host (dmesg -T) and for oom_kill in the scheduler''s records; then use fewer workers or less prefetch.' AS action,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no) AS evidence, min(time) AS "at", max(time) AS until,
       list(DISTINCT rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
       'possible' AS confidence, list(DISTINCT worker_pid) AS worker_pids
FROM worker_killed w WHERE signal_name = 'Killed' AND NOT EXISTS (FROM kill_explained k WHERE k.for_memory OR k.file_id <> w.file_id OR k.line_no < w.line_no)
HAVING count(*) > 0
UNION ALL BY NAME
SELECT CASE said_by WHEN 'pytorch' THEN 'PyTorch' WHEN 'numpy' THEN 'NumPy' ELSE 'TensorFlow' END || ' could not get ' || coalesce(known_bytes(max(requested_bytes)) || ' of ', '') || 'host memory: the kernel refused it' AS summary,
       'Compare the request with what the host (free -h, ulimit -v, the cgroup''s limit, vm.overcommit_memory) can give: load in pieces or memory-map, use fewer workers and ranks per host, or ask for more memory.' AS action,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no) AS evidence, min(time) AS "at", max(time) AS until,
       list(DISTINCT rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, 'probable' AS confidence, said_by AS actor, max(requested_bytes) AS requested_bytes
FROM host_allocation_failure WHERE said_by NOT IN ('c++', 'kernel') GROUP BY said_by
UNION ALL BY NAME
SELECT 'out of memory' || coalesce(' on ' || array_to_string(list_sort(list(DISTINCT f.host))[1:5], ', '), '') || ', and the kernel found no process that it may kill' AS summary,
       'What is left is protected (oom_score_adj -1000: systemd''s OOMScoreAdjust, kubelet, a shell that was): take the protection from the job, raise the limit of its cgroup where the report names one (memory: usage, limit), or use less. The processes stand still or fail until then.' AS action,
       list(line_at(f.file_id, f.line_no) ORDER BY f.file_id, f.line_no)[1:20] AS evidence, min(f.time) AS "at", max(f.time) AS until,
       list(DISTINCT f.host) FILTER (f.host IS NOT NULL) AS hosts, said_by AS actor
FROM host_allocation_failure f WHERE said_by = 'kernel' GROUP BY said_by
UNION ALL BY NAME
-- A C++ program ends so also when it asks for a size gone wrong; and where something else tells of the memory, this is its echo.
SELECT 'a C++ library could not get host memory (std::bad_alloc) and ended ' || CASE count(DISTINCT (file_id, stream, pid)) WHEN 1 THEN 'the process' ELSE count(DISTINCT (file_id, stream, pid)) || ' processes' END AS summary,
       'Compare what the host has (free -h, ulimit -v, the cgroup''s limit) with what the program held by then; where there was room, a damaged file or a wrong size was read: take a core dump and see who asked (gdb, bt).' AS action,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no)[1:20] AS evidence, min(time) AS "at", max(time) AS until,
       list(DISTINCT rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, 'possible' AS confidence, said_by AS actor
FROM host_allocation_failure
WHERE said_by = 'c++' AND NOT EXISTS (FROM kill_explained WHERE for_memory) AND NOT EXISTS (FROM host_allocation_failure WHERE said_by <> 'c++') AND NOT EXISTS (FROM memory_exception WHERE NOT of_device)
  AND NOT EXISTS (FROM oom_incident) GROUP BY said_by
UNION ALL BY NAME
SELECT 'the program could not get host memory: ' || class || coalesce(' (' || nullif(left(split_part(min(message), E'\n', 1), 120), '') || ')', '') AS summary,
       'Compare what the host has (free -h, ulimit -v, the cgroup''s limit, vm.overcommit_memory) with what the program asks for; a child process that is forked needs room for what its parent holds.' AS action,
       list(line_at(file_id, raised_line) ORDER BY file_id, raised_line) AS evidence, min(time) AS "at", max(time) AS until,
       list(DISTINCT rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, 'possible' AS confidence, max(requested_bytes) AS requested_bytes
FROM memory_exception WHERE NOT of_device GROUP BY class
UNION ALL BY NAME
-- The head of a report without its end: the memory of something was full, and most often that of the machine.
SELECT 'the kernel''s OOM killer was called' || coalesce(' on ' || array_to_string(list_sort(list(DISTINCT r.host))[1:5], ', '), '') || ', and the log ends before it says whom it killed, or whether the machine or a cgroup was full' AS summary,
       'Get the rest of the kernel log (dmesg -T, journalctl -k): the lines "oom-kill:constraint=" and "Killed process" name the limit and the victim.' AS action,
       list(line_at(r.file_id, r.line_no) ORDER BY r.file_id, r.line_no)[1:20] AS evidence, min(r.time) AS "at", max(r.time) AS until,
       list(DISTINCT r.host) FILTER (r.host IS NOT NULL) AS hosts, 'possible' AS confidence, min(r.process) AS invoker, 'kernel' AS actor
FROM oom_report r
WHERE NOT EXISTS (FROM oom_kill) AND NOT EXISTS (FROM oom_victim) AND NOT EXISTS (FROM oom_limit) AND NOT EXISTS (FROM oom_cgroup_frame) AND NOT EXISTS (FROM oom_old_limit) AND NOT EXISTS (FROM kill_explained WHERE for_memory) AND NOT EXISTS (FROM host_allocation_failure WHERE said_by = 'kernel')
HAVING count(*) > 0
