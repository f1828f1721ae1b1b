/*
title = "Data is read again after a resume"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["loss.rollback", "loss.resume_spike", "loss.spike", "loss.plateau_shift", "loss.divergence"]
about = "After a restart the training loss is lower than its own trend and later jumps back up to that trend: the data stream began anew, and the model saw what it knew."
remedy = "Restore the state of the data loader and sampler with the checkpoint, or skip the batches consumed. Go back to the checkpoint of the resume: what was trained since has seen its data twice."
falsely = "The learning rate was lowered or the data made easier at the restart and both taken back later."
references = ["https://lightning.ai/docs/pytorch/stable/common/checkpointing_basic.html"]
*/
WITH dip AS (
  SELECT e.*, row_number() OVER (PARTITION BY e.family, e.run ORDER BY e.start_step) AS nth FROM loss_excursion e
  WHERE e.kind = 'dip' AND e.canonical = 'loss' AND coalesce(e.driver_ratio, 1) > 0.7 AND e.branch = 'live'
    AND NOT coalesce(e.validation_falls AND e.end_step IS NULL, false)
    -- Where a long stretch between is not there (another version's log, a log that was cut), the curve had time to fall by itself.
    AND NOT coalesce(e.start_step - e.before_step > greatest(20 * e.interval, 0.1 * e.start_step), false)
), midway AS (
  SELECT file_id, line_no FROM training_event WHERE kind = 'midepoch_resume'
)
SELECT
  'After the resume at step ' || coalesce(replace(d.boundary_steps, ',', ' and '), plain(d.start_step)) || ' the ' || d.name || ' is falsely low'
    || coalesce(', and at step ' || plain(d.end_step) || ' it jumps back up to ' || plain(d.after) || ': the data was read again from the start',
       ': the data may be read again from the start') AS summary,
  [line_at(d.before_file, d.before_line), line_at(d.file_id, d.line_no), line_at(d.end_file, d.end_line), (SELECT min(line_at(file_id, line_no)) FROM midway)] AS evidence,
  CASE WHEN d.end_step IS NULL THEN 'possible' END AS confidence,
  CASE WHEN d.end_step IS NULL AND NOT EXISTS (FROM midway) THEN 'info' END AS severity,
  to_timestamp(d.start_seconds)::TIMESTAMP AS at,
  coalesce(d.end_step, d.start_step) AS step, list_transform(string_split(d.boundary_steps, ','), lambda s: s::DOUBLE::BIGINT) AS resume_steps,
  d.before_step AS resume_step, d.end_step AS jump_step, d.base, d.after AS level_after, d.name AS metric, d.interval AS log_interval
FROM dip d
WHERE d.nth = 1
