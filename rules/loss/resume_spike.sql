/*
title = "Loss jumps after a resume"
severity = "warning"
confidence = "probable"
status = "stable"
explains = ["loss.rollback"]
about = "Right after a restart the training loss stands above where it was: the restart did not bring everything back (optimizer state, learning-rate schedule, loss scale, weights of one stage)."
remedy = "Check that optimizer, scheduler and scaler states were loaded and on all ranks; compare the rate and the gradient norm before and after; resume again from the same checkpoint."
falsely = "The restart was made with other data or a higher rate on purpose. One line of twice the level just after a resume of Megatron core 0.17 is its own counting and not reported."
references = ["https://github.com/NVIDIA/Megatron-LM/issues/6237"]
*/
SELECT
  'After the resume at step ' || plain(j.boundary_step) || ' the ' || j.name || ' jumped from ' || plain(j.base) || ' to ' || plain(j.peak)
    || CASE WHEN j.end_step IS NULL THEN ' and never came back (now ' || plain(j.after) || ')' ELSE ' and was back at step ' || plain(j.end_step) END AS summary,
  [line_at(j.before_file, j.before_line), line_at(j.boundary_file, j.boundary_line), line_at(j.file_id, j.line_no), line_at(j.peak_file, j.peak_line), line_at(j.end_file, j.end_line)] AS evidence,
  to_timestamp(j.start_seconds)::TIMESTAMP AS at, j.of_ranks AS ranks,
  coalesce(j.before_step, j.boundary_step) AS step, coalesce(j.before_step, j.boundary_step) AS resume_step, j.peak_step, j.peak, j.base, j.class, j.end_step AS recovered_step, j.name AS metric, j.interval AS log_interval
FROM loss_jump j
WHERE j.kind IN ('rise', 'shift', 'lone') AND j.boundary_step IS NOT NULL
  AND NOT (j.points <= 1 AND j.peak BETWEEN 1.8 * j.base AND 2.2 * j.base)
