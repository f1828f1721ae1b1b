/*
title = "Training went back to an earlier checkpoint"
severity = "warning"
confidence = "definite"
status = "stable"
about = "Steps repeat: after a restart training went on from a step it had already passed, and the work in between was done twice."
remedy = "If it was not meant: save checkpoints more often, and find out what ended the run before. What stands behind the way back (spike, NaN, crash) is the cause."
falsely = "Two runs written into one file whose steps do not begin anew."
references = ["https://arxiv.org/abs/2204.02311"]
*/
WITH back AS (
  SELECT g.*, s.name, s.canonical,
    count_if(apart) OVER (ORDER BY g.to_step, g.from_step, g.series_id) AS incident_no
  FROM (SELECT *, coalesce(abs(to_step - lag(to_step) OVER (ORDER BY to_step, from_step, series_id)) > 0.002 * to_step + 5
                  OR series_id = lag(series_id) OVER (ORDER BY to_step, from_step, series_id), true) AS apart
        FROM segment WHERE to_step IS NOT NULL AND lost >= 2 AND state <> 'chaotic') g
  JOIN series s USING (series_id)
  WHERE s.canonical IN ('loss', 'validation_loss', 'grad_norm', 'epoch_loss', 'policy_loss', 'adversarial_loss')
    -- Steps that are trained again are logged again, or somebody said that a checkpoint was loaded: a table of experiments does neither.
    AND (g.from_file <> g.file_id OR EXISTS (FROM training_event e WHERE e.kind IN ('resume', 'load', 'start'))
         OR (SELECT count(*) FROM (SELECT step FROM series_point p WHERE p.series_id = g.series_id AND p.step BETWEEN g.to_step AND g.from_step GROUP BY step HAVING count(*) > 1)) >= 2
            -- Where most of what lies between was never logged, excerpts of several runs stand in one file.
            AND g.from_step - g.to_step < 10 * g.lost * (SELECT median(d) FROM (SELECT step - lag(step) OVER (ORDER BY line_no) AS d FROM series_point p WHERE p.series_id = g.series_id AND p.file_id = g.file_id) WHERE d > 0))
), one AS (
  SELECT * FROM back QUALIFY row_number() OVER (PARTITION BY incident_no ORDER BY canonical = 'loss' DESC, lost DESC, series_id) = 1
)
SELECT
  'Training went back from step ' || plain(o.from_step) || ' to step ' || plain(o.to_step) || ': ' || o.lost || ' logged points were trained again' AS summary,
  [line_at(o.from_file, o.from_line), line_at(o.file_id, o.line_no), line_at(l.file_id, l.line_no)] AS evidence,
  o.to_step AS step, o.from_step, o.lost AS lost_points, l.path
FROM one o
LEFT JOIN LATERAL (SELECT * FROM training_event e WHERE e.kind IN ('resume', 'load') AND e.file_id = o.file_id AND e.line_no < o.line_no AND e.line_no > CASE WHEN o.from_file = o.file_id THEN o.from_line ELSE 0 END
  ORDER BY e.path IS NULL, e.line_no LIMIT 1) l ON true
