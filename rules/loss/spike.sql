/*
title = "Loss spike"
severity = "warning"
confidence = "definite"
status = "stable"
explains = ["loss.nan", "loss.rollback"]
about = "The training loss jumped far above its own noise and stayed there for several points: it came back at once (fast), after long (slow), or not at all (unrecovered). Single hard batches are not meant; a wobble of less than 15 % that is over at once, and a part of the loss that is switched on, are remarks."
remedy = "If it does not come back: restart from the last checkpoint at least 100 steps before the spike and skip the 200-500 batches around it (PaLM), or lower the learning rate. A fast spike needs nothing; when they repeat, look at gradient clipping and at the data of these steps."
falsely = "A change of the objective or of the data by plan that the log does not mention; one data set or task that is rare in the batches; a log that shows one batch of one rank."
references = ["https://arxiv.org/abs/2204.02311", "https://arxiv.org/abs/2309.14322", "https://github.com/bigscience-workshop/bigscience/blob/master/train/tr11-176B-ml/chronicles.md"]
*/
SELECT
  'The ' || j.name || CASE WHEN j.alone THEN ' alone' ELSE '' END || ' jumped from ' || plain(j.base) || ' to ' || plain(j.peak) || ' at step ' || plain(j.start_step)
    || CASE j.class WHEN 'unrecovered' THEN ' and never came back (now ' || plain(j.after) || ')'
       ELSE ' and was back at step ' || plain(j.end_step) || ' (' || j.class || CASE WHEN j.level_step > j.start_step + 1.5 * (j.end_step - j.start_step) THEN '; at the old level at step ' || plain(j.level_step) ELSE '' END || ')' END
    || CASE WHEN j.alone AND j.any_loss THEN '; the loss itself did not' ELSE '' END
    || CASE WHEN len(j.names) > 1 THEN '; the same in ' || array_to_string(list_filter(j.names, lambda n: n <> j.name), ', ') ELSE '' END
    || CASE WHEN len(c.rose) > 0 THEN '; ' || array_to_string(c.rose[:4], ', ') || ' rose with it' || CASE WHEN len(c.calm) > 0 THEN ', ' || array_to_string(c.calm[:4], ', ') || ' did not' ELSE '' END ELSE '' END
    || CASE WHEN len(c.begun) > 0 THEN '; ' || array_to_string(c.begun[:4], ', ') || ' was zero until then' ELSE '' END
    || CASE WHEN g.step < j.start_step THEN '; the gradient norm ran ahead at step ' || plain(g.step) ELSE '' END
    || CASE WHEN j.branch = 'dead' THEN '; training went back behind it later' ELSE '' END
    || CASE WHEN j.change IS NOT NULL THEN '; a change is logged there: ' || j.change.what ELSE '' END || counted_note(j.stepless, j.file_id, j.line_no) AS summary,
  [line_at(j.before_file, j.before_line), line_at(j.file_id, j.line_no), line_at(j.peak_file, j.peak_line), line_at(j.end_file, j.end_line),
   g.evidence, CASE WHEN j.change IS NOT NULL THEN line_at(j.change.file_id, j.change.line_no) END] || j.elsewhere AS evidence,
  CASE WHEN j.class = 'unrecovered' AND j.change IS NOT NULL OR len(c.begun) > 0 OR j.class = 'fast' AND j.height < 0.15 THEN 'info' WHEN j.class = 'unrecovered' AND NOT j.alone THEN 'critical' END AS severity,
  CASE WHEN j.kind = 'lone' OR j.sigmas < 8 OR j.alone THEN 'probable' END AS confidence,
  to_timestamp(j.start_seconds)::TIMESTAMP AS at, j.of_ranks AS ranks,
  CASE WHEN j.alone THEN 'look at what is behind ' || j.name || ' at these steps: its data set, shard or task, or how it is weighted'
    WHEN j.class = 'unrecovered' AND NOT j.stepless THEN 'restart from the last checkpoint at least 100 steps before step ' || plain(j.start_step)
    || coalesce(' (' || (SELECT 'one was saved at step ' || plain(max(e.step)) FROM training_event e WHERE e.kind = 'save' AND e.step <= j.start_step - 100 HAVING max(e.step) IS NOT NULL) || ')', '')
    || ' and skip the batches around it, or lower the learning rate' END AS action,
  j.start_step AS step, j.start_step AS spike_step, j.peak_step, j.peak, j.base, j.class, j.class AS spike_class, j.end_step AS recovered_step, j.level_step AS old_level_step,
  g.step AS grad_precursor_step, j.name AS metric, round(j.sigmas, 1) AS height_sigmas, j.interval AS log_interval, j.after AS level_after, c.rose AS rose_with_it, c.calm AS unmoved,
  CASE WHEN j.alone THEN true END AS alone
FROM loss_jump j
LEFT JOIN component_echo c USING (series_id, run, start_step)
LEFT JOIN gradient_precursor g USING (series_id, run, start_step)
-- A single point, however long it stands for, is a hard batch unless it is a mean or the log says what changed there.
WHERE (j.kind = 'rise' OR j.kind = 'lone' AND (j.change IS NOT NULL OR j.averaged)) AND j.boundary_step IS NULL AND NOT (j.class = 'unrecovered' AND coalesce(j.validation_falls, false))
