/*
title = "Remarks on the training curves"
severity = "info"
confidence = "definite"
status = "stable"
about = "What explains the look of a curve and is no fault: resumes that went well, several runs in one file, text that stands there twice, lone hard batches, phases by plan, a loss scaler at work."
remedy = "Nothing."
falsely = "It is context only."
references = []
*/
-- Restarts after which the loss simply went on.
WITH went_on AS (
  SELECT DISTINCT ON (round(start_step)) * FROM (
    SELECT g.file_id, g.line_no, g.first_step AS start_step, lag(g.last_step) OVER (PARTITION BY g.series_id, g.run ORDER BY k.turn, g.line_no) AS resume_step, f.path
    FROM segment g JOIN series s USING (series_id) JOIN series_member k ON k.series_id = g.series_id AND k.file_id = g.file_id JOIN file f ON f.file_id = g.file_id
    WHERE s.canonical = 'loss' AND g.state = 'live' AND s.files > 1
    QUALIFY lag(g.file_id) OVER (PARTITION BY g.series_id, g.run ORDER BY k.turn, g.line_no) <> g.file_id
    UNION ALL
    SELECT e.file_id, e.line_no, p.step, coalesce(e.step, p.step), NULL FROM training_event e,
      LATERAL (SELECT min(p.step) FILTER (p.line_no > e.line_no) AS step, bool_or(p.line_no < e.line_no) AS before
               FROM series_point p JOIN series s USING (series_id) WHERE s.canonical = 'loss' AND p.file_id = e.file_id) p
    WHERE e.kind IN ('resume', 'load') AND p.step IS NOT NULL
      -- Weights that are loaded before anything was trained are no resume.
      AND coalesce(e.step, CASE WHEN p.before THEN p.step END, 0) > 0)
  ORDER BY round(start_step), path IS NULL, line_no
), several AS (
  SELECT file_id, line_no, runs, heads
  FROM (SELECT file_id, series_id, min(line_no) AS line_no, count(*) AS runs, list(line_at(file_id, line_no)) AS heads, sum(points) AS points
        FROM (SELECT file_id, series_id, run, min(line_no) AS line_no, sum(points) AS points FROM segment GROUP BY file_id, series_id, run) GROUP BY file_id, series_id)
  WHERE runs > 1 QUALIFY row_number() OVER (PARTITION BY file_id ORDER BY points DESC) = 1
), twice AS (
  SELECT file_id, min(line_no) AS line_no, max(last_line) AS last_line, max(points) AS points FROM segment WHERE state = 'double' GROUP BY file_id HAVING max(points) >= 5
), overflow AS (
  SELECT file_id, count(*) AS n, min(line_no) AS first_line, max(line_no) AS last_line FROM training_event WHERE kind = 'overflow' GROUP BY file_id HAVING count(*) >= 3
), phase AS (
  SELECT file_id, list(DISTINCT step::BIGINT ORDER BY step::BIGINT) AS steps, list(line_at(file_id, line_no) ORDER BY line_no) AS lines FROM planned_change WHERE step IS NOT NULL GROUP BY file_id HAVING count(*) <= 20
), hard AS (
  SELECT file_id, list(DISTINCT start_step::BIGINT ORDER BY start_step::BIGINT) AS steps, list(line_at(file_id, line_no) ORDER BY line_no) AS lines
  FROM loss_excursion WHERE kind IN ('lone', 'outlier') AND canonical = 'loss' AND change IS NULL AND NOT (kind = 'lone' AND averaged) GROUP BY file_id
)
SELECT 'Training was resumed at step ' || plain(resume_step) || ' and went on at step ' || plain(start_step) AS summary, [line_at(file_id, line_no)] AS evidence,
  resume_step, start_step, CASE WHEN contains(path, '/') THEN parse_path(path)[-2] ELSE path END AS continued_in, NULL::BIGINT AS runs_in_file, NULL::BOOLEAN AS duplicate_of_itself, NULL::BIGINT AS overflows, NULL::BIGINT[] AS phase_changes, NULL::BIGINT[] AS hard_batch_steps
FROM (FROM went_on LIMIT 20)
UNION ALL BY NAME
SELECT runs || ' runs stand in one file' AS summary, heads AS evidence, runs AS runs_in_file FROM several
UNION ALL BY NAME
SELECT 'The same text stands in the file twice (' || points || ' points)' AS summary, [line_at(file_id, line_no), line_at(file_id, last_line)] AS evidence, true AS duplicate_of_itself FROM twice
UNION ALL BY NAME
SELECT 'The loss scaler skipped ' || n || ' steps on its search for the scale' AS summary, [line_at(file_id, first_line), line_at(file_id, last_line)] AS evidence, n AS overflows FROM overflow
UNION ALL BY NAME
SELECT 'The log announces changes at step ' || array_to_string(steps, ', ') AS summary, lines AS evidence, steps AS phase_changes FROM phase
UNION ALL BY NAME
SELECT 'The highest lone points, single hard batches, stand at step ' || array_to_string(steps, ', ') AS summary, lines AS evidence, steps AS hard_batch_steps FROM hard
