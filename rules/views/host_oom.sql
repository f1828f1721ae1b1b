-- Kills for want of host memory, by whom it may be: the kernel's reports where they are, else what others say of them.

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
lead AS (SELECT *, row_number() OVER (PARTITION BY scope, is_compiler, bout ORDER BY t, file_id, line_no) AS nth FROM bouts),
told AS (
  SELECT scope, is_compiler, bout, count(*) AS victims, list(DISTINCT victim_pid) AS victim_pids, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
         min(time) AS first_time, max(time) AS last_time, list(line_at(file_id, line_no) ORDER BY t, file_id, line_no)[:20] AS lines,
         list(DISTINCT (SELECT min(i.rank) FROM identity i WHERE i.pid = victim_pid AND (i.host = b.host OR i.host IS NULL OR b.host IS NULL))) AS ranks
  FROM bouts b GROUP BY ALL
)
SELECT l.* EXCLUDE (scope, is_compiler, bout), t.* FROM lead l JOIN told t USING (scope, is_compiler, bout) WHERE l.nth = 1;

-- Slurm's word on a job: counts by step, and the host where a line names it.
CREATE VIEW slurm_oom_job AS
WITH said AS (
  SELECT file_id, line_no, time, host, job, step, count FROM slurm_oom
  UNION ALL
  SELECT file_id, line_no, time, host, job, step, count FROM scheduler_event WHERE event = 'oom_kill' AND scheduler = 'slurm'
),
-- a job is named by its longest form: one line may know the step only
places AS (
  SELECT regexp_extract(job, '^[0-9]+') AS base, min(host) AS host FROM (SELECT job, host FROM slurm_place UNION ALL SELECT job, host FROM scheduler_event WHERE scheduler = 'slurm')
  WHERE host IS NOT NULL AND job IS NOT NULL GROUP BY ALL
),
any_job AS (SELECT min(job) AS only_job FROM said WHERE job IS NOT NULL HAVING count(DISTINCT job) = 1),
tied AS (SELECT s.* REPLACE (coalesce(s.job, a.only_job) AS job) FROM said s LEFT JOIN any_job a ON true),
counted AS (SELECT job, step, max(count) AS events FROM tied GROUP BY ALL)
SELECT t.job, arg_min(t.step, (t.step IS NULL, t.step NOT IN ('batch', 'extern'), t.line_no)) AS step, (SELECT sum(events) FROM counted c WHERE c.job IS NOT DISTINCT FROM t.job)::BIGINT AS events,
       list_distinct(list_concat(list(DISTINCT t.host) FILTER (t.host IS NOT NULL), list(DISTINCT p.host) FILTER (p.host IS NOT NULL))) AS hosts,
       min(t.time) AS first_time, max(t.time) AS last_time, list(DISTINCT line_at(t.file_id, t.line_no))[:20] AS lines
FROM tied t LEFT JOIN places p ON p.base = regexp_extract(t.job, '^[0-9]+')
GROUP BY t.job;

-- Anything that accounts for a process ended by SIGKILL.
CREATE VIEW kill_explained AS
SELECT file_id, line_no FROM oom_kill UNION ALL SELECT file_id, line_no FROM slurm_oom UNION ALL SELECT file_id, line_no FROM oomd_kill
UNION ALL SELECT file_id, line_no FROM container_oom UNION ALL SELECT file_id, line_no FROM slurm_place
UNION ALL SELECT file_id, line_no FROM scheduler_event;
