-- Kills by the kernel's OOM killer: the victim's line joined with what the report around it says.
CREATE TABLE oom_kill AS
WITH lines AS (
  SELECT *, coalesce(host, '') AS h, lead(victim_pid) OVER w AS next_pid, lead(total_vm_bytes) OVER w AS next_vm, lead(line_no) OVER w AS next_line,
         lag(what) OVER w AS before_what, lag(total_vm_bytes) OVER w AS before_vm, lag(line_no) OVER w AS before_line
  FROM (FROM oom_victim UNION ALL BY NAME
        -- a log that was cut behind the line that names the victim
        SELECT * EXCLUDE (constraint_kind, memcg, task_memcg, nodemask, mems_allowed), CASE constraint_kind WHEN 'CONSTRAINT_MEMCG' THEN 'Memory cgroup out of memory' ELSE 'Out of memory' END AS what
        FROM oom_constraint c WHERE NOT EXISTS (FROM oom_victim v WHERE v.file_id = c.file_id AND v.line_no > c.line_no AND v.line_no - c.line_no <= 4000))
  WINDOW w AS (PARTITION BY file_id, host ORDER BY line_no)
),
-- Old kernels print whom they would kill, then (perhaps a child) whom they did.
victims AS (
  SELECT * EXCLUDE (what), CASE WHEN what IS NULL AND before_vm IS NULL AND line_no - before_line <= 20 THEN before_what ELSE what END AS what
  FROM lines
  WHERE NOT (total_vm_bytes IS NULL AND next_vm IS NOT NULL AND next_line - line_no <= 20) AND (what IS NOT NULL OR total_vm_bytes IS NOT NULL)
),
chosen AS (
  SELECT v.*, c.line_no AS constraint_line, c.constraint_kind, CASE c.constraint_kind WHEN 'CONSTRAINT_MEMORY_POLICY' THEN nullif(c.nodemask, '(null)') WHEN 'CONSTRAINT_CPUSET' THEN c.mems_allowed END AS numa_nodes, c.memcg AS memcg, c.task_memcg,
         l.line_no AS limit_line, l.used_bytes, l.limit_bytes, o.memcg AS old_memcg, o.line_no AS old_line, r.line_no AS report_line, r.process AS invoker
  FROM victims v
  ASOF LEFT JOIN (SELECT *, coalesce(host, '') AS h FROM oom_constraint) c
    ON c.file_id = v.file_id AND c.h = v.h AND c.victim_pid = v.victim_pid AND v.line_no >= c.line_no
  ASOF LEFT JOIN (SELECT *, coalesce(host, '') AS h FROM oom_limit) l ON l.file_id = v.file_id AND l.h = v.h AND v.line_no >= l.line_no
  ASOF LEFT JOIN (SELECT *, coalesce(host, '') AS h FROM oom_old_limit) o ON o.file_id = v.file_id AND o.h = v.h AND v.line_no >= o.line_no
  ASOF LEFT JOIN (SELECT *, coalesce(host, '') AS h FROM oom_report) r ON r.file_id = v.file_id AND r.h = v.h AND v.line_no >= r.line_no
),
-- what stands above belongs to this kill unless it is far off, or older than the report's head
scoped AS (
  SELECT * REPLACE (
      CASE WHEN line_no - report_line <= 4000 THEN report_line END AS report_line,
      CASE WHEN line_no - limit_line <= 4000 AND limit_line >= coalesce(CASE WHEN line_no - report_line <= 4000 THEN report_line END, 0) THEN limit_bytes END AS limit_bytes,
      CASE WHEN line_no - constraint_line <= 4000 THEN constraint_kind END AS constraint_kind, CASE WHEN line_no - constraint_line <= 4000 THEN numa_nodes END AS numa_nodes,
      CASE WHEN line_no - constraint_line <= 4000 THEN memcg WHEN line_no - old_line <= 4000 AND old_line >= coalesce(report_line, 0) THEN old_memcg END AS memcg)
  FROM chosen
),
judged AS (
  SELECT *, CASE WHEN constraint_kind = 'CONSTRAINT_MEMCG' OR what LIKE 'Memory cgroup%' THEN 'cgroup'
                 WHEN constraint_kind IS NOT NULL THEN 'host'
                 WHEN memcg IS NOT NULL THEN 'cgroup'
                 WHEN what LIKE 'Out of memory%' THEN 'host'
                 -- the lines that tell the machine from a cgroup were cut off
                 ELSE 'unknown' END AS scope
  FROM scoped
),
tasks AS (
  SELECT t.file_id, t.report_line, coalesce(t.host, '') AS h, list({'process': process, 'pid': task_pid, 'rss_pages': rss_pages} ORDER BY rss_pages DESC) AS tasks
  FROM oom_task t GROUP BY ALL
),
known AS (
  SELECT j.* EXCLUDE (h), t.tasks, list_filter(t.tasks, lambda x: x.pid = j.victim_pid)[1].rss_pages AS table_rss_pages
  FROM judged j LEFT JOIN tasks t ON t.file_id = j.file_id AND t.report_line = j.report_line AND t.h = j.h
)
SELECT file_id, line_no, time, time_quality, uptime_seconds, host, rank, pid, stream, scope, victim_pid, process, uid, what, constraint_kind, numa_nodes, memcg, task_memcg, invoker,
       total_vm_bytes, anon_rss_bytes, file_rss_bytes, shmem_rss_bytes, CASE WHEN limit_bytes < 1125899906842624 AND scope = 'cgroup' THEN limit_bytes END AS limit_bytes,
       report_line, CASE WHEN line_no - constraint_line <= 4000 THEN constraint_line END AS constraint_line, limit_line,
       table_rss_pages, tasks[:5] AS top_tasks, list_sum(list_transform(tasks, lambda t: t.rss_pages))::BIGINT AS all_rss_pages,
       -- The table counts pages, the victim's line kB: their ratio is the machine's page size (64 KiB on many arm64 hosts).
       CASE WHEN table_rss_pages > 1000 AND anon_rss_bytes > 0 THEN
         CASE WHEN (anon_rss_bytes + file_rss_bytes + coalesce(shmem_rss_bytes, 0)) / table_rss_pages > 32768 THEN 65536
              WHEN (anon_rss_bytes + file_rss_bytes + coalesce(shmem_rss_bytes, 0)) / table_rss_pages > 8192 THEN 16384 ELSE 4096 END END AS page_bytes,
       regexp_matches(process, '^(cc1(plus|obj)?|cicc|ptxas|cudafe\+\+|nvcc|nvlink|fatbinary|ld(\.(bfd|gold|lld))?|lld|mold|lto1(-.*)?|rustc|collect2|clang(\+\+)?(-[0-9]+)?|as|hipcc|icpx|dpcpp)$') AS is_compiler
FROM known;
