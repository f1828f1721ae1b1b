/*
title      = "A memory limit was hit: the cgroup of the job, step or container"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "divergence.collective_count", "divergence.stack", "crash.exception", "crash.signal", "loss.rollback"]
explains_here = ["gpu.application"]
momentary     = true
about      = """
A process was killed because its memory cgroup (job, step, container, user slice) reached its limit; the machine itself may
have memory left. Said by the kernel (constraint, oom_memcg), by Slurm's count of OOM events of a step, by Kubernetes or
Docker (OOMKilled), or by systemd-oomd, which kills a whole cgroup under memory pressure.
"""
remedy     = "Ask for more memory (sbatch --mem, the container's limit), or use less: fewer data loader workers, smaller caches, no file copies in /dev/shm or tmpfs, which count too."
falsely    = "Slurm counts machine-wide kills within the step too; the kernel log of the host tells them apart."
references = ["https://docs.kernel.org/admin-guide/cgroup-v2.html#memory", "https://slurm.schedmd.com/cgroup.conf.html"]
*/
SELECT 'memory limit' || coalesce(' of ' || known_bytes(limit_bytes), '') || coalesce(' of cgroup ' || memcg, '') || ' hit' || CASE coalesce(len(hosts), 0) WHEN 0 THEN '' WHEN 1 THEN ' on ' || hosts[1] ELSE ' on ' || len(hosts) || ' hosts' END
         || ': the kernel killed ' || process || ' (pid ' || victim_pid || ')' || coalesce(' with ' || known_bytes(anon_rss_bytes + coalesce(shmem_rss_bytes, 0)) || ' resident', '') || CASE WHEN victims > 1 THEN ' and ' || (victims - 1) || ' more' ELSE '' END AS summary,
       'Raise the limit of the job or container' || coalesce(' above ' || known_bytes(limit_bytes), '') || ' (sbatch --mem, resources.limits.memory), or use less: fewer data loader workers, smaller caches; files in /dev/shm and tmpfs count too.'
         || coalesce(' Largest holders: ' || array_to_string(list_transform(top_tasks[:3], lambda x: x.process || ' (' || x.pid || ') ' || bytes_text(x.rss_pages * coalesce(page_bytes, 4096))), ', ') || '.', '') AS action,
       list_concat(list_filter([line_at(file_id, line_no), line_at(file_id, constraint_line), line_at(file_id, CASE WHEN limit_bytes IS NOT NULL THEN limit_line END), line_at(file_id, report_line)], lambda e: e.line_no IS NOT NULL),
                   lines) AS evidence,
       first_time AS "at", last_time AS until, list_filter(ranks, lambda r: r IS NOT NULL) AS ranks, hosts, NULL AS confidence,
       victim_pid, process AS victim, victim_pid AS pid, process, anon_rss_bytes, shmem_rss_bytes, total_vm_bytes, limit_bytes, memcg, coalesce(memcg, task_memcg) AS cgroup,
       coalesce(constraint_kind, 'CONSTRAINT_MEMCG') AS "constraint", invoker, victims, CASE WHEN victims > 1 THEN victim_pids END AS victim_pids, table_rss_pages, page_bytes,
       list_transform(top_tasks, lambda x: x.process || ' ' || x.pid || ' ' || x.rss_pages || ' pages') AS top_holders, 'kernel' AS actor,
       NULL::VARCHAR AS job, NULL::VARCHAR AS step, NULL::BIGINT AS events, NULL::BIGINT AS exitcode
FROM kernel_oom_incident WHERE scope = 'cgroup'
UNION ALL BY NAME
SELECT CASE scheduler WHEN 'slurm' THEN 'Slurm' WHEN 'kubernetes' THEN 'Kubernetes' WHEN 'docker' THEN 'Docker' ELSE upper(scheduler) END
         || CASE WHEN scheduler IN ('kubernetes', 'docker') THEN coalesce(': container ' || job, ': a container') || ' was killed at its memory limit (OOMKilled)'
                 ELSE coalesce(' job ' || job, '') || coalesce(' step ' || step, '') || ' hit its memory limit' || coalesce(' of ' || known_bytes(limit_bytes), '') END
         || CASE coalesce(len(hosts), 0) WHEN 0 THEN '' WHEN 1 THEN ' on ' || hosts[1] ELSE ' on ' || len(hosts) || ' hosts' END
         || coalesce(': ' || events || CASE events WHEN 1 THEN ' kill' ELSE ' kills' END || ' by the OOM killer', '') AS summary,
       CASE WHEN scheduler IN ('kubernetes', 'docker') THEN 'Raise the container''s memory limit (resources.limits.memory, docker run --memory) or use less: fewer data loader workers, smaller caches; files in /dev/shm and emptyDirs of medium Memory count too.'
            ELSE 'Ask for more memory (--mem, --mem-per-cpu, --mem-per-gpu) or use less: fewer data loader workers, smaller caches.'
                 || CASE WHEN scheduler = 'slurm' THEN ' sacct -j ' || coalesce(job, 'JOB') || ' -o JobID,MaxRSS,ReqMem,NodeList shows how much was used and where.' ELSE '' END END AS action,
       lines AS evidence, first_time AS "at", last_time AS until, hosts, job, step, events, limit_bytes, scheduler AS actor,
       CASE WHEN scheduler IN ('kubernetes', 'docker') THEN coalesce((SELECT min_by(x.exitcode, abs(x.line_no - e.line_no)) FROM container_exit x JOIN scheduler_event e ON e.event = 'oom_kill' AND e.file_id = x.file_id AND abs(x.line_no - e.line_no) <= 6), 137) END AS exitcode
FROM scheduler_oom WHERE NOT EXISTS (FROM kernel_oom_incident)
UNION ALL BY NAME
SELECT 'memory pressure' || coalesce(' (' || max(pressure) || ')', '') || ': systemd-oomd killed ' || min(cgroup) || ' with everything in it' AS summary,
       'Everything started in that cgroup died (also nohup and setsid children): run the job as a unit or scope of its own with ManagedOOMPreference=avoid, or use less memory.' AS action,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no) AS evidence, min(time) AS "at", max(time) AS until, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
       min(cgroup) AS cgroup, max(pressure) AS pressure, 'systemd-oomd' AS actor
FROM oomd_kill WHERE reason IN ('pressure', 'unit') AND NOT EXISTS (FROM oomd_kill WHERE reason = 'swap') HAVING count(*) > 0
UNION ALL BY NAME
SELECT 'memory limit of a cgroup' || coalesce(' (' || known_bytes(max(l.limit_bytes)) || ')', '') || ' hit' || coalesce(' on ' || min(r.host), '') || ', says the kernel; the log ends before it names whom it killed' AS summary,
       'Raise the limit, or use less: fewer data loader workers, smaller caches; get the rest of the kernel log (dmesg -T) to see who held the memory.' AS action,
       list_concat(list(DISTINCT line_at(r.file_id, r.line_no)), list(DISTINCT line_at(l.file_id, l.line_no)))[:20] AS evidence, min(r.time) AS "at", max(r.time) AS until,
       list(DISTINCT r.host) FILTER (r.host IS NOT NULL) AS hosts, 'probable' AS confidence, max(l.limit_bytes) AS limit_bytes, min(r.process) AS invoker, 'kernel' AS actor
FROM oom_report r
JOIN (SELECT file_id, line_no, limit_bytes FROM oom_limit WHERE used_bytes >= 0.99 * limit_bytes UNION ALL SELECT file_id, line_no, NULL FROM oom_cgroup_frame) l
  ON l.file_id = r.file_id AND l.line_no BETWEEN r.line_no AND r.line_no + 400
WHERE NOT EXISTS (FROM oom_kill) AND NOT EXISTS (FROM scheduler_oom) AND NOT EXISTS (FROM host_allocation_failure WHERE said_by = 'kernel') HAVING count(*) > 0
