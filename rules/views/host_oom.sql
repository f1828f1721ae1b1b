-- Kills for want of host memory, by whom it may be: the kernel's reports where they are, else what others say of them.

-- The rank that was killed, where the kernel knows its process by another number than its launcher, as it does of containers:
-- the one rank that ended by SIGKILL, on the host of the kill or one that the kernel calls by another name.
CREATE VIEW killed_rank AS
WITH ended AS (
  SELECT DISTINCT rank, short_host(host) AS host FROM "exit" WHERE rank IS NOT NULL AND (signal = 9 OR exitcode IN (-9, 137))
    AND (coalesce(first_observed, false) OR NOT EXISTS (FROM "exit" WHERE first_observed)))
SELECT k.file_id, k.line_no, any_value(e.rank) AS rank
FROM (SELECT *, count(*) OVER () AS kills FROM oom_kill WHERE NOT is_compiler) k JOIN ended e ON e.host IS NULL OR k.host IS NULL OR short_host(k.host) = e.host
  OR short_host(k.host) NOT IN (SELECT short_host(host) FROM identity WHERE host IS NOT NULL AND rank IS NOT NULL)
WHERE k.kills = 1 AND k.process LIKE 'python%' AND k.victim_pid NOT IN (SELECT pid FROM identity WHERE pid IS NOT NULL UNION ALL SELECT pid FROM "exit" WHERE pid IS NOT NULL)
GROUP BY k.file_id, k.line_no HAVING count(DISTINCT e.rank) = 1;

-- Kernel kills as incidents: one scope, no gap of ten minutes, on any number of hosts; the same kill in two logs counts once.
CREATE TABLE kernel_oom_incident AS
WITH once AS (
  SELECT *, coalesce(epoch(time), uptime_seconds, 0) AS t,
         row_number() OVER (PARTITION BY victim_pid, process, anon_rss_bytes, scope ORDER BY report_line IS NULL, file_id, line_no) AS copy
  FROM oom_kill WHERE scope IS NOT NULL
),
bouts AS (
  SELECT *, sum(new::INT) OVER (PARTITION BY scope, is_compiler ORDER BY t, file_id, line_no) AS bout
  FROM (SELECT *, coalesce(t - lag(t) OVER (PARTITION BY scope, is_compiler ORDER BY t, file_id, line_no) > 600, true) AS new FROM once WHERE copy = 1)
),
lead AS (SELECT *, row_number() OVER (PARTITION BY scope, is_compiler, bout ORDER BY what IS NOT DISTINCT FROM 'Out of memory, says the kubelet', t, file_id, line_no) AS nth FROM bouts),
told AS (
  SELECT scope, is_compiler, bout, count(DISTINCT (coalesce(host, ''), victim_pid)) AS victims, list_sort(list(DISTINCT victim_pid)) AS victim_pids, max(limit_bytes) AS any_limit_bytes, min(memcg) AS any_memcg, list_sort(list(DISTINCT host) FILTER (host IS NOT NULL)) AS hosts,
         min(time) AS first_time, max(time) AS last_time, list(line_at(file_id, line_no) ORDER BY t, file_id, line_no)[:20] AS lines,
         list(DISTINCT coalesce((SELECT min(i.rank) FROM identity i WHERE i.pid = victim_pid AND (i.host = b.host OR i.host IS NULL OR b.host IS NULL)), r.rank)) AS ranks
  FROM bouts b LEFT JOIN killed_rank r USING (file_id, line_no) GROUP BY ALL
)
SELECT l.* EXCLUDE (scope, is_compiler, bout) REPLACE (coalesce(l.limit_bytes, t.any_limit_bytes) AS limit_bytes, coalesce(l.memcg, t.any_memcg) AS memcg), t.* EXCLUDE (any_limit_bytes, any_memcg) FROM lead l JOIN told t USING (scope, is_compiler, bout) WHERE l.nth = 1;

-- A scheduler's word on a job: how many kills in which step, and the host where any of its lines names one.
CREATE VIEW scheduler_oom AS
WITH said AS (SELECT *, regexp_extract(job, '^[0-9]+') AS base FROM scheduler_event WHERE event = 'oom_kill'),
-- a line that names no job is of the only one there is
only_job AS (SELECT scheduler, min(base) AS base FROM said WHERE base <> '' GROUP BY ALL HAVING count(DISTINCT base) = 1),
tied AS (SELECT s.* REPLACE (coalesce(nullif(s.base, ''), o.base) AS base) FROM said s LEFT JOIN only_job o USING (scheduler)),
places AS (
  SELECT scheduler, regexp_extract(job, '^[0-9]+') AS base, list(DISTINCT host) AS hosts
  FROM scheduler_event WHERE host IS NOT NULL AND event IN ('cancelled', 'oom_kill', 'ended') GROUP BY ALL
),
steps AS (SELECT scheduler, base, step, max(count) AS events FROM tied GROUP BY ALL)
SELECT t.scheduler, coalesce(arg_min(t.job, (t.job IS NULL, t.line_no)), t.base) AS job,
       arg_min(t.step, (t.step IS NULL, t.step = 'extern', t.line_no)) AS step,
       (SELECT sum(events) FROM steps s WHERE s.scheduler = t.scheduler AND s.base IS NOT DISTINCT FROM t.base)::BIGINT AS events,
       -- a node's name as its daemon has it and as Slurm has it may differ in capitals
       list_filter(list_sort(list_distinct(list_concat(coalesce(list(DISTINCT t.host) FILTER (t.host IS NOT NULL), []), coalesce(any_value(p.hosts), [])))),
                   lambda h: h = lower(h) OR NOT list_contains(list_concat(coalesce(list(DISTINCT t.host) FILTER (t.host IS NOT NULL), []), coalesce(any_value(p.hosts), [])), lower(h))) AS hosts,
       max(TRY_CAST(regexp_extract(t.message, '(?:> |limit )([0-9]+) ?(?:kb|\))', 1) AS BIGINT)) * 1024 AS limit_bytes,
       min(t.time) AS first_time, max(t.time) AS last_time, list(DISTINCT line_at(t.file_id, t.line_no))[:20] AS lines
FROM tied t LEFT JOIN places p ON p.scheduler = t.scheduler AND p.base = t.base
GROUP BY t.scheduler, t.base;

-- Anything that accounts for a process ended by SIGKILL: a kill for memory whenever it is told, an end from outside if it came before.
CREATE VIEW kill_explained AS
SELECT file_id, line_no, true AS for_memory FROM oom_kill UNION ALL SELECT file_id, line_no, true FROM oomd_kill
UNION ALL SELECT file_id, line_no, true FROM scheduler_event WHERE event = 'oom_kill'
UNION ALL SELECT file_id, line_no, false FROM ended_from_outside;
