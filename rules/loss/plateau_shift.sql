/*
title = "Loss moved to a higher level"
severity = "warning"
confidence = "probable"
status = "stable"
explains = ["loss.rollback"]
about = "The training loss stepped up to a new level and stays there, without a peak: other data, another setting, or a part of the model that broke."
remedy = "Look at what changed at that step: data set or shard, batch size, sequence length, a restart on another machine. Compare with validation."
falsely = "A change of data or objective by plan that the log does not mention."
references = ["https://arxiv.org/abs/2407.21783"]
*/
SELECT
  'The ' || j.name || ' stepped up from ' || plain(j.base) || ' to ' || plain(j.after) || ' at step ' || plain(j.start_step) || ' and stays there' || counted_note(j.stepless, j.file_id, j.line_no) AS summary,
  [line_at(j.before_file, j.before_line), line_at(j.file_id, j.line_no), line_at(j.last_file, j.last_line)] || j.elsewhere AS evidence,
  CASE WHEN j.change IS NOT NULL OR coalesce(j.validation_falls, false) THEN 'info' END AS severity,
  to_timestamp(j.start_seconds)::TIMESTAMP AS at, j.of_ranks AS ranks,
  j.start_step AS step, j.base, j.after AS level_after, j.name AS metric, j.interval AS log_interval, round(j.sigmas, 1) AS height_sigmas
FROM loss_jump j
WHERE j.kind = 'shift' AND j.boundary_step IS NULL
