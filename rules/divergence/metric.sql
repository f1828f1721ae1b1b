/*
title = "Ranks report different values for the same step"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["loss.nan", "loss.divergence", "loss.spike", "loss.plateau_shift"]
about = "A value that is the same on all ranks by nature (an averaged loss, the norm of reduced gradients) was so for long, and then a minority of ranks differs for good: silent data corruption, a broken collective, or weights that drifted apart."
remedy = "Take the ranks' node out and run diagnostics (memory, ECC, a matrix multiplication with a known result); compare checksums of the weights of all ranks; resume from a checkpoint before that step."
falsely = "The program begins to print a local value on some ranks."
references = ["https://arxiv.org/abs/2407.21783", "https://arxiv.org/abs/2203.08989"]
*/
WITH printed AS (
  SELECT name, canonical, step, rank, arg_max(value, ordinal) AS value, arg_max(line_at(file_id, line_no), ordinal) AS place, min(time) AS time
  FROM metric
  WHERE canonical IN ('loss', 'grad_norm') AND rank IS NOT NULL AND step IS NOT NULL
  GROUP BY ALL
), common AS (
  -- What most ranks say; ranks agree where they differ by rounding only.
  SELECT *, median(value) OVER same AS usual, count(*) OVER same AS ranks_here FROM printed
  WINDOW same AS (PARTITION BY name, step)
), told AS (
  SELECT *, NOT (value = usual OR abs(value - usual) <= 1e-5 * abs(usual) OR isnan(value) AND isnan(usual)) AS differs FROM common WHERE ranks_here >= 3
), steps AS (
  SELECT name, step, count(*) FILTER (differs) AS different, any_value(ranks_here) AS n FROM told GROUP BY ALL
), first AS (
  -- The first step from which a minority differs nearly always.
  SELECT name, min(step) FILTER (different > 0) AS step, count(*) AS points, min(step) AS begins, max(step) AS ends FROM steps GROUP BY name
), split AS (
  SELECT f.name, f.step, f.points,
    (SELECT count(*) FROM steps s WHERE s.name = f.name AND s.step < f.step) AS before,
    (SELECT count(*) FROM steps s WHERE s.name = f.name AND s.step >= f.step) AS after,
    (SELECT count(*) FROM steps s WHERE s.name = f.name AND s.step >= f.step AND different > 0 AND different < n / 2.0) AS apart
  FROM first f WHERE f.step IS NOT NULL
), culprit AS (
  SELECT t.name, t.rank, count(*) FILTER (t.differs) AS times, count(*) AS n, arg_min(t.place, t.step) FILTER (t.differs) AS place,
    arg_min(t.value, t.step) FILTER (t.differs) AS value, arg_min(t.usual, t.step) FILTER (t.differs) AS usual, min(t.time) FILTER (t.differs) AS time
  FROM told t JOIN split s ON s.name = t.name AND t.step >= s.step
  WHERE s.before >= greatest(4, 0.25 * s.points) AND s.after >= 3 AND s.apart > 0.8 * s.after
  GROUP BY t.name, t.rank HAVING count(*) FILTER (t.differs) > 0.8 * count(*)
), one AS (
  SELECT c.name, s.step, list(c.rank ORDER BY c.rank) AS ranks, list(c.place ORDER BY c.rank) AS places, any_value(c.value) AS value, any_value(c.usual) AS usual,
    min(c.time) AS time
  FROM culprit c JOIN split s USING (name) GROUP BY c.name, s.step
)
SELECT 'From step ' || plain(o.step) || ' on rank ' || ranges(o.ranks) || ' reports another ' || o.name || ' (' || plain(o.value) || ') than the other ranks (' || plain(o.usual) || '), with which it agreed before' AS summary,
  o.places || (SELECT list(place ORDER BY rank)[:3] FROM told t WHERE t.name = o.name AND t.step = o.step AND NOT t.differs) AS evidence,
  o.time AS at, o.ranks, o.step, o.name AS metric, o.value, o.usual AS value_of_others
FROM one o
QUALIFY row_number() OVER (ORDER BY o.step, o.name) = 1
