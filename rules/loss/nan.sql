/*
title = "Loss is not a number"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["loss.rollback", "crash"]
about = "The loss or the gradient norm became NaN or infinite and stayed so, or the loss scale collapsed because every step overflowed."
remedy = "Go back to the last checkpoint before it. Look at the step before: gradient norm, learning rate, loss scale. With fp16 try bf16 or a lower rate; otherwise check the batch of that step, and which rank saw it first."
falsely = "A metric that the program prints as nan where it has none."
references = ["https://github.com/bigscience-workshop/bigscience/blob/master/train/tr8-104B-wide/chronicles.md", "https://pytorch.org/docs/stable/notes/amp_examples.html"]
*/
WITH bad AS (
  SELECT e.*, s.name, s.canonical, s.rank AS series_rank, s.stepless FROM excursion e JOIN series s USING (series_id)
  WHERE e.kind = 'nonfinite' AND CASE
    WHEN s.canonical IN ('loss', 'policy_loss', 'value_loss', 'adversarial_loss', 'epoch_loss') THEN e.points >= 2 OR e.end_step IS NULL
    -- Parts of a loss whose sum nobody prints.
    WHEN s.canonical = 'component_loss' THEN e.points >= 2 AND e.end_step IS NULL AND e.before_step IS NOT NULL
      AND NOT EXISTS (FROM series o WHERE o.family = s.family AND o.canonical IN ('loss', 'policy_loss', 'value_loss', 'adversarial_loss', 'epoch_loss'))
    -- A scaler that searches its scale gives infinite norms by nature: only what never ends counts.
    WHEN s.canonical = 'grad_norm' THEN e.points >= 5 AND e.end_step IS NULL AND e.before_step IS NOT NULL END
), first AS (
  SELECT *, count(*) OVER () AS places FROM bad
  QUALIFY row_number() OVER (ORDER BY start_step, canonical <> 'loss', series_points DESC, series_id) = 1
), fall AS (
  SELECT *, (CASE WHEN value > lag(value) OVER w THEN 1 ELSE 0 END) AS grew FROM (
    SELECT file_id, line_no, time, rank, value, coalesce(step, -1) AS step FROM training_event WHERE kind IN ('overflow', 'scale_down', 'scale_up') AND value IS NOT NULL
    UNION ALL SELECT file_id, line_no, time, rank, value, step FROM metric WHERE canonical = 'loss_scale' AND value > 0)
  WINDOW w AS (PARTITION BY file_id, rank ORDER BY line_no)
), falls AS (
  SELECT *, sum(grew) OVER (PARTITION BY file_id, rank ORDER BY line_no) AS since FROM fall
), halvings AS (
  SELECT file_id, rank, since, count(DISTINCT value) - 1 AS halvings, max(value) AS highest, min(value) AS lowest, min(time) AS began,
    arg_min(line_no, line_no) AS first_line, max(line_no) AS last_line, min(nullif(step, -1)) FILTER (value < 4096) AS step
  FROM falls GROUP BY ALL
), collapse AS (
  -- Ends at 2 or below after at least six halvings in a row, and no loss worth the name follows.
  SELECT h.* FROM halvings h
  WHERE halvings >= 6 AND lowest <= 2
    -- Some print the way down only: where it stands higher later it went up again between.
    AND NOT EXISTS (FROM fall f WHERE f.file_id = h.file_id AND f.line_no > h.last_line AND f.value > 2 * h.lowest)
    AND (SELECT count(*) FROM metric m WHERE m.file_id = h.file_id AND m.line_no > h.last_line AND m.canonical = 'loss' AND isfinite(m.value)) < 20
), fatal AS (
  SELECT * FROM training_event WHERE kind = 'scale_minimum' ORDER BY time NULLS LAST, file_id, line_no LIMIT 1
), said AS (
  -- Programs that check say what they found, and stop at it. Where nothing of it was printed as a value, that is all there is.
  SELECT file_id, line_no, time, rank, host, message, coalesce(step, (SELECT max(m.step) FROM metric m WHERE m.canonical = 'loss' AND m.file_id = e.file_id AND m.line_no < e.line_no)) AS step
  FROM training_event e
  WHERE kind = 'nan_found' AND regexp_matches(message, 'Unexpected result|in local (forward loss|grad norm)|, stopping|loss .*contains a NaN|The loss returned in')
  ORDER BY step NULLS LAST, time NULLS LAST, rank NULLS LAST, file_id, line_no LIMIT 1
), scale AS (
  SELECT coalesce(f.file_id, c.file_id) AS file_id, f.line_no AS fatal_line, c.first_line, c.last_line, coalesce(f.time, c.began) AS at,
    c.step, c.highest, c.lowest, c.halvings, f.message
  FROM (SELECT * FROM fatal) f FULL JOIN (SELECT * FROM collapse ORDER BY last_line LIMIT 1) c ON true
)
SELECT
  CASE WHEN b.series_id IS NOT NULL
       THEN 'The ' || b.name || CASE WHEN b.series_rank IS NOT NULL THEN ' of rank ' || b.series_rank ELSE '' END || ' is not a number from step ' || plain(b.start_step)
         || CASE WHEN b.end_step IS NULL THEN ' to the end' ELSE ' to step ' || plain(b.end_step) END
         || CASE WHEN b.before_step IS NULL THEN ', none of its values is' ELSE ' (last finite: ' || plain(b.base) || ' at step ' || plain(b.before_step) || ')' END
         || counted_note(b.stepless, b.file_id, b.line_no)
         || CASE WHEN s.lowest IS NULL THEN '' ELSE '; the loss scale fell from ' || plain(s.highest) || ' to ' || plain(s.lowest) END
       WHEN s.file_id IS NULL THEN 'The program stopped' || coalesce(' at step ' || plain(n.step), '') || ': ' || coalesce('rank ' || n.rank || ' ', 'it ') || 'found what is not a number (' || left(n.message, 120) || ')'
       ELSE 'The loss scale collapsed' || CASE WHEN s.lowest IS NULL THEN '' ELSE ' from ' || plain(s.highest) || ' to ' || plain(s.lowest) END || ': every step overflows'
         || CASE WHEN s.message IS NOT NULL THEN ', and the trainer gave up' ELSE '' END END AS summary,
  [line_at(b.before_file, b.before_line), line_at(b.file_id, b.line_no), line_at(b.last_file, b.last_line), line_at(s.file_id, s.first_line), line_at(s.file_id, s.last_line), line_at(s.file_id, s.fatal_line), line_at(n.file_id, n.line_no)] AS evidence,
  coalesce(to_timestamp(b.start_seconds)::TIMESTAMP, s.at, n.time) AS at,
  coalesce((SELECT list(DISTINCT m.rank) FROM metric m WHERE m.canonical = b.canonical AND m.rank IS NOT NULL AND NOT isfinite(m.value) AND m.step = b.start_step), CASE WHEN n.rank IS NOT NULL THEN [n.rank] END) AS ranks,
  CASE WHEN n.host IS NOT NULL THEN [n.host] END AS hosts,
  coalesce(b.start_step, s.step, n.step) AS step, b.start_step AS nan_step, b.before_step AS last_finite_step, b.base AS last_finite_value, b.name AS metric,
  s.halvings AS loss_scale_halvings, s.lowest AS loss_scale
FROM (SELECT * FROM first) b FULL JOIN scale s ON true FULL JOIN said n ON true
