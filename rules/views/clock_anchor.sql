-- Moments that tell the engine how the clocks of different logs stand to each other (logsift/judge/clocks.py).
-- `event`: rows of one event saw the same moment, each by its own clock (`time`, or `uptime_seconds` where only that is
-- printed). `utc`: the line says the true time itself. `within_seconds`: how far the sightings of one event may be apart.

-- Who says that a process ended: the kernel that killed it, and its launcher.
CREATE VIEW process_end AS
SELECT 'kernel' AS source, victim_pid AS pid, file_id, line_no, host, time, time_quality, uptime_seconds FROM oom_victim
UNION ALL SELECT 'kernel', pid, file_id, line_no, host, time, time_quality, uptime_seconds FROM segfault
UNION ALL SELECT 'launcher', pid, file_id, line_no, host, time, time_quality, uptime_seconds FROM "exit" WHERE said_by <> 'subprocess';

-- Files in which the job itself speaks, whether or not its lines name a rank: what it first says there is when it began.
CREATE VIEW job_output AS
SELECT DISTINCT file_id FROM (SELECT file_id FROM training_line UNION ALL SELECT file_id FROM nccl_comm UNION ALL SELECT file_id FROM c10d_status UNION ALL SELECT file_id FROM launcher_event
  UNION ALL SELECT file_id FROM training_value UNION ALL SELECT file_id FROM metric_curve);

-- When training went on: a time of each minute and file in which a step was logged.
CREATE VIEW job_progress AS
SELECT file_id, date_trunc('minute', time) AS minute, min(line_no) AS line_no FROM training_line WHERE time IS NOT NULL GROUP BY ALL;

CREATE VIEW clock_anchor AS
WITH waited AS (
  SELECT concat_ws(' ', 'start of', coalesce(t.grp_desc, t.grp, 'work'), t.collective_seq) AS event, t.file_id, t.line_no, t.host, t.rank, coalesce(t.grp_desc, t.grp) AS grp, t.collective_seq,
    t.time - to_milliseconds(coalesce(t.ran_ms, t.timeout_ms)) AS time, c.time_quality
  FROM c10d_timeout_once t JOIN c10d_timeout c USING (file_id, line_no)
  WHERE t.collective_seq IS NOT NULL AND t.timeout_ms IS NOT NULL),
ended AS (
  SELECT * FROM process_end WHERE pid > 1 AND pid IN (
    SELECT pid FROM process_end GROUP BY pid
    HAVING count(DISTINCT source) = 2 AND count(DISTINCT short_host(host)) <= 1 AND count(*) FILTER (source = 'kernel') = 1)),
-- The last steps of every writer that prints a step; of a step written twice the last time counts.
step AS (
  SELECT m.file_id, m.line_no, m.host, m.rank, m.step, m.value, m.time, l.time_quality
  FROM (SELECT * FROM line_metric WHERE canonical = 'loss' AND step IS NOT NULL AND time IS NOT NULL
        QUALIFY row_number() OVER (PARTITION BY file_id, rank, step ORDER BY line_no DESC) = 1
            AND dense_rank() OVER (PARTITION BY file_id, rank ORDER BY step DESC) <= 50) m
  JOIN (SELECT file_id, line_no, any_value(time_quality) AS time_quality FROM training_line GROUP BY ALL) l USING (file_id, line_no))
-- The kernel prints the wall clock itself: when it sets it, and before every audit record.
SELECT 'wall clock' AS event, wall_clock AS utc, 2 AS within_seconds, file_id, line_no, host, rank, time, time_quality, uptime_seconds FROM clock_line
UNION ALL BY NAME
-- Work that all wait in starts on all of them at about the same time.
SELECT event, 30 AS within_seconds, file_id, line_no, host, rank, time, time_quality FROM waited
UNION ALL BY NAME
-- Flight Recorder keeps when work was enqueued, as an epoch.
SELECT DISTINCT w.event, 30 AS within_seconds, o.file_id, o.line_no, o.host, o.rank, o.time, o.time_quality
FROM flight_operation o JOIN waited w ON w.rank = o.rank AND w.collective_seq = o.collective_seq AND w.grp IN (o.grp, o.grp_desc)
WHERE NOT o.is_p2p AND o.pending
UNION ALL BY NAME
SELECT 'end of process ' || pid AS event, 120 AS within_seconds, file_id, line_no, host, time, time_quality, uptime_seconds FROM ended
UNION ALL BY NAME
-- All ranks end a step together.
SELECT 'step ' || step AS event, 10 AS within_seconds, file_id, line_no, host, rank, time, time_quality FROM step WHERE rank IS NOT NULL
UNION ALL BY NAME
-- A step's value goes to the log and into a store with exact times: the same value tells that it is the same run.
SELECT concat('value of step ', step) AS event, 60 AS within_seconds, u.file_id, u.line_no, u.host, u.rank, u.time, u.time_quality FROM (
  SELECT s.step, unnest([
    {'file_id': s.file_id, 'line_no': s.line_no, 'host': s.host, 'rank': s.rank, 'time': s.time, 'time_quality': s.time_quality},
    {'file_id': m.file_id, 'line_no': m.line_no, 'host': m.host, 'rank': m.rank, 'time': m.time, 'time_quality': 'exact'}]) AS u
  FROM step s JOIN (SELECT c.host, c.rank, p.* EXCLUDE (host, rank) FROM metric_point p JOIN curve_metric c ON c.file_id = p.file_id AND c.curve = p.curve AND c.canonical = 'loss') m
    ON m.at_step = s.step AND m.time_quality = 'exact' AND abs(m.metric_value - s.value) <= 0.001 * abs(s.value)) s;
