/*
title = "Loss diverges"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["loss.nan", "loss.rollback"]
about = "The training loss creeps up for good, without a spike, to the end of the log."
remedy = "Go back to a checkpoint before the minimum and lower the learning rate; check what changed there: data, rate, a restart that did not load the optimizer."
falsely = "The objective or the data mixture changes by plan and the log does not say so; the learning rate is raised again."
references = ["https://arxiv.org/abs/2309.14322"]
*/
SELECT
  'The ' || j.name || ' creeps up from ' || plain(j.base) || ' at step ' || plain(coalesce(j.before_step, j.start_step)) || ' to ' || plain(j.after)
    || ' at step ' || plain(j.last_step) || CASE WHEN j.branch = 'dead' THEN '; training went back behind it later' ELSE '' END || counted_note(j.stepless, j.file_id, j.line_no) AS summary,
  [line_at(j.before_file, j.before_line), line_at(j.file_id, j.line_no), line_at(j.peak_file, j.peak_line), line_at(j.last_file, j.last_line)] AS evidence,
  CASE WHEN j.series_points < 25 THEN 'possible' END AS confidence,
  CASE WHEN j.change IS NOT NULL OR coalesce(j.validation_falls, false) THEN 'info' WHEN j.series_points < 25 THEN 'warning' END AS severity,
  to_timestamp(j.start_seconds)::TIMESTAMP AS at, j.of_ranks AS ranks,
  j.start_step AS step, l.lowest AS min_loss, l.last AS last_loss, l.points, l.points < 25 AS few_points, j.name AS metric, j.interval AS log_interval
FROM loss_jump j,
LATERAL (SELECT min(p.value) AS lowest, arg_max(p.value, p.ordinal) AS last, count(*) AS points FROM series_point p WHERE p.series_id = j.series_id AND isfinite(p.value)) l
WHERE j.kind = 'trend'
