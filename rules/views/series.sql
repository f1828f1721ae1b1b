-- Which curves the engine's search looks at, what drives them, and where they were restarted; and its findings with their context.

-- Sources that differ in numbers only (slurm-17.out and slurm-18.out, version_0 and version_1, event files of one directory) go on in each other.
CREATE MACRO source_family(source) AS
  regexp_replace(regexp_replace(source, 'run-[0-9]{8}_[0-9]{6}-[a-z0-9]+', 'run-#', 'g'), '[0-9]+', '#', 'g');

CREATE TABLE series_member AS
WITH named AS (
  SELECT file_id, NULL::BIGINT AS curve, source, name, canonical, rank, count(*) AS points, count(step) AS stepped, max(steps_planned) AS planned, min(time) AS began, bool_or(is_average) AS averaged
  FROM line_metric WHERE value IS NOT NULL GROUP BY ALL
  UNION ALL
  SELECT file_id, curve, source, name, canonical, rank, points, points, steps_planned, time, is_average FROM curve_metric
), ranked AS (
  -- Of many ranks that print the same two are enough; what only one of them sees is compared rank by rank elsewhere.
  SELECT *, source_family(source) AS family, min(rank) OVER (PARTITION BY source_family(source), name) AS low, max(rank) OVER (PARTITION BY source_family(source), name) AS high
  FROM named
  WHERE canonical IN ('loss', 'component_loss', 'validation_loss', 'epoch_loss', 'policy_loss', 'value_loss', 'adversarial_loss', 'grad_norm', 'learning_rate', 'step_seconds')
), turned AS (
  SELECT *, row_number() OVER (
      PARTITION BY family, name, canonical, rank
      ORDER BY CASE WHEN timed THEN began END, numbers, source, file_id) AS turn
  FROM (SELECT *, bool_and(began IS NOT NULL) OVER (PARTITION BY family, name, canonical, rank) AS timed,
          list_transform(regexp_extract_all(source, '[0-9]{1,18}'), lambda n: n::BIGINT) AS numbers
        FROM ranked WHERE rank IS NULL OR rank IN (low, high))
)
SELECT dense_rank() OVER (ORDER BY family, canonical, name, rank) AS series_id, * FROM turned;

CREATE TABLE series AS
WITH one AS (
  SELECT series_id, any_value(family) AS family, any_value(name) AS name, any_value(canonical) AS canonical, any_value(rank) AS rank,
    sum(points)::BIGINT AS points, sum(stepped) = 0 AS stepless, bool_or(averaged) AS averaged, max(planned) AS planned, count(DISTINCT file_id) AS files
  FROM series_member GROUP BY series_id
)
-- Step times have a search of their own (rules/views/pace.sql); a part of the loss with a handful of points shows nothing.
SELECT s.*, s.canonical NOT IN ('learning_rate', 'step_seconds') AND (s.canonical <> 'component_loss' OR s.points >= 40 OR NOT EXISTS (FROM one o WHERE o.family = s.family AND o.canonical = 'loss')) AS searched,
  (SELECT min(d.series_id) FROM one d WHERE d.family = s.family AND d.canonical = 'learning_rate' AND d.rank IS NOT DISTINCT FROM s.rank) AS driver_id
FROM one s;

CREATE VIEW series_point AS
SELECT k.series_id, m.step, m.value, m.time, m.file_id, m.line_no, k.turn, m.ordinal
FROM line_metric m JOIN series_member k
  ON m.file_id = k.file_id AND m.source = k.source AND m.name = k.name AND m.canonical = k.canonical AND m.rank IS NOT DISTINCT FROM k.rank AND k.curve IS NULL
UNION ALL
SELECT k.series_id, p.at_step, p.metric_value * c.factor, p.time, p.file_id, p.line_no, k.turn, p.line_no
FROM metric_point p JOIN series_member k ON p.file_id = k.file_id AND p.curve = k.curve
JOIN curve_metric c ON c.file_id = k.file_id AND c.curve = k.curve;

-- Lines behind which a restart begins, and steps it begins behind where the line stands in another file than the curve.
CREATE TABLE series_boundary AS
SELECT DISTINCT k.series_id, e.file_id, e.line_no, NULL::DOUBLE AS step
FROM training_event e JOIN series_member k USING (file_id)
WHERE e.kind IN ('resume', 'load', 'midepoch_resume')
UNION ALL
SELECT DISTINCT k.series_id, k.file_id, NULL, e.step
FROM training_event e, series_member k
WHERE e.kind IN ('resume', 'load') AND e.step > 0 AND e.file_id NOT IN (SELECT file_id FROM series_member);

-- Rows of the curves that count, one per run and step.
CREATE VIEW metric_stitched AS
SELECT s.series_id, g.run, g.state, p.step, p.value, p.time, p.file_id, p.line_no, s.name, s.canonical, s.rank
FROM series_point p
JOIN series s USING (series_id)
JOIN segment g ON g.series_id = p.series_id AND g.file_id = p.file_id AND p.line_no BETWEEN g.line_no AND g.last_line
WHERE g.state IN ('live', 'dead')
QUALIFY row_number() OVER (PARTITION BY p.series_id, g.run, g.state, p.step ORDER BY p.turn DESC, p.ordinal DESC) = 1;
