-- What stands out in loss curves, with what else happened there.

-- Where the job learns something else by plan: phases, and changes of batch size or sequence length.
CREATE TABLE planned_change AS
SELECT file_id, line_no, step, message AS what FROM training_event WHERE kind = 'phase' AND step IS NOT NULL
UNION ALL
SELECT file_id, line_no, step, name || ' ' || was || ' -> ' || value FROM (
  SELECT file_id, line_no, step, name, value, lag(value) OVER (PARTITION BY file_id, source, name, rank ORDER BY ordinal) AS was
  FROM metric WHERE canonical IN ('batch_size', 'sequence_length') AND step IS NOT NULL)
WHERE abs(value - was) > 0.01 * abs(was);

CREATE TABLE loss_excursion AS
WITH here AS (
  SELECT e.*, s.name, s.canonical, s.family, s.rank AS series_rank, s.averaged, s.stepless,
    EXISTS (FROM series o WHERE o.canonical IN ('loss', 'adversarial_loss')) AS any_loss,
    -- Equal places of different curves lie within a few points of the coarser one.
    greatest(3 * e.interval, 0.002 * abs(e.start_step), 5) AS slack,
    count_if(e.kind = 'rise') OVER (PARTITION BY e.series_id, e.run) AS of_series
  FROM excursion e JOIN series s USING (series_id)
)
SELECT h.*,
  (SELECT arg_min({'file_id': p.file_id, 'line_no': p.line_no, 'step': p.step, 'what': p.what}, abs(p.step - h.start_step)) FROM planned_change p
   WHERE p.step BETWEEN coalesce(h.before_step, h.start_step) - 3 * h.interval
     AND CASE h.kind WHEN 'trend' THEN h.last_step ELSE h.start_step + 3 * h.interval END) AS change,
  -- A warm restart of the rate lifts the loss for a while; a rate that grows lifts it a little for good.
  -- From nearly nothing back up: the schedule begins anew, and with it whatever was planned to.
  coalesce(h.driver_ratio > 3 AND h.height < 0.5 OR h.driver_ratio > 100 AND h.start_step > 0.1 * h.last_step
    OR h.kind IN ('trend', 'shift') AND h.driver_ratio > 1.15 AND h.height < 0.15, false) AS by_rate,
  -- Validation that went on falling says that the model is well and the training loss measures something else.
  (SELECT avg(m.value) FILTER (m.step > h.start_step + 0.3 * (coalesce(h.end_step, h.last_step) - h.start_step)) < 0.995 * arg_max(m.value, m.step) FILTER (m.step <= h.start_step)
   FROM metric m WHERE m.canonical = 'validation_loss' AND m.file_id = h.file_id AND isfinite(m.value)
     AND m.step <= coalesce(h.end_step, h.last_step)) AS validation_falls,
  coalesce(h.kind = 'rise' AND h.logarithmic AND h.sigmas > 8 AND h.height > 0.35 AND h.height < 0.1 * h.sigmas AND h.points >= 3 AND h.boundary_step IS NULL AND h.branch = 'live' AND h.of_series <= 2
    AND h.start_step > 0.05 * h.last_step
    AND h.end_step - h.start_step <= greatest(0.05 * h.planned, 12 * h.interval) AND (h.canonical = 'component_loss' OR h.canonical = 'validation_loss' AND h.any_loss)
    -- What plays against an adversary goes up when that one learns.
    AND NOT EXISTS (FROM series o WHERE o.family = h.family AND o.canonical = 'adversarial_loss')
    AND NOT EXISTS (FROM here o WHERE o.canonical = 'loss' AND o.kind NOT IN ('nonfinite', 'outlier') AND o.start_step <= coalesce(h.end_step, h.last_step) + o.slack
                      AND coalesce(o.end_step, o.last_step) >= h.start_step - o.slack), false) AS of_part
FROM here h
WHERE h.kind <> 'nonfinite';

-- Excursions of the training loss; of the validation loss where nothing else is printed, and then only what jumps. Parts of a loss (data sets,
-- tasks, heads) and validation beside it speak where they jump far, which is not their habit, and come back soon: new levels are planned or, in validation, natural.
CREATE TABLE loss_jump AS
WITH usable AS (
  SELECT * FROM loss_excursion e
  WHERE (canonical = 'loss' OR canonical = 'validation_loss' AND NOT any_loss AND kind IN ('rise', 'lone') AND height > 0.3 OR of_part)
    AND kind NOT IN ('dip', 'outlier') AND NOT in_dip AND NOT by_rate
    -- The way up into NaN is part of the NaN.
    AND NOT EXISTS (FROM excursion n WHERE n.kind = 'nonfinite' AND n.series_id = e.series_id AND n.run = e.run
                      AND n.start_step BETWEEN e.start_step AND coalesce(e.peak_step, e.start_step) + 6 * e.interval
                      AND (e.end_step IS NULL OR e.end_step >= n.start_step))
), islands AS (
  SELECT *, count_if(apart) OVER (ORDER BY branch, start_step, series_id, run) AS incident_no
  FROM (SELECT *, coalesce(branch <> lag(branch) OVER w OR start_step > lag(start_step) OVER w + greatest(slack, lag(slack) OVER w)
                           OR series_id = lag(series_id) OVER w, true) AS apart
        FROM usable WINDOW w AS (ORDER BY branch, start_step, series_id, run))
)
-- One row for each incident: the curve with the most points speaks, the others are named.
SELECT *, list(DISTINCT name ORDER BY name) FILTER (NOT of_part OR alone) OVER (PARTITION BY incident_no) AS names,
  list(line_at(file_id, line_no)) OVER (PARTITION BY incident_no) AS elsewhere,
  list(DISTINCT series_rank) FILTER (series_rank IS NOT NULL) OVER (PARTITION BY incident_no) AS of_ranks,
  CASE WHEN end_step IS NULL THEN 'unrecovered'
       WHEN points <= 10 OR end_step - start_step <= 0.01 * planned THEN 'fast' ELSE 'slow' END AS class
FROM (SELECT *, bool_and(of_part) OVER (PARTITION BY incident_no) AS alone FROM islands)
QUALIFY row_number() OVER (PARTITION BY incident_no ORDER BY of_part, series_points DESC, sigmas DESC, series_id) = 1;

-- The norm of the gradients runs ahead of the loss: the first step just before a jump where it stood 4 times above its own level.
CREATE VIEW gradient_precursor AS
WITH near AS (
  SELECT j.series_id, j.run, j.start_step, m.file_id, m.line_no, m.step, m.value, m.step >= j.start_step - 10 * j.interval AS close
  FROM loss_jump j JOIN metric m ON m.file_id = j.file_id AND m.canonical = 'grad_norm' AND isfinite(m.value)
    AND m.step BETWEEN j.start_step - 60 * j.interval AND j.start_step
), level AS (
  SELECT series_id, run, start_step, median(value) FILTER (NOT close) AS usual, quantile_cont(value, 0.95) FILTER (NOT close) AS high, count(*) FILTER (NOT close) AS n
  FROM near GROUP BY ALL
)
SELECT n.series_id, n.run, n.start_step, min(n.step) AS step, arg_min(n.value, n.step) AS value, any_value(l.usual) AS usual,
  arg_min(line_at(n.file_id, n.line_no), n.step) AS evidence
FROM near n JOIN level l USING (series_id, run, start_step)
WHERE n.close AND l.n >= 10 AND l.usual > 0 AND n.value > greatest(4 * l.usual, 1.5 * l.high)
GROUP BY n.series_id, n.run, n.start_step;

-- Several losses (data sets, tasks, layers): which of them rose with the one that jumped, and which did not.
CREATE VIEW component_echo AS
WITH near AS (
  SELECT j.series_id, j.run, j.start_step, m.name,
    median(m.value) FILTER (m.step < j.start_step) AS usual, quantile_cont(m.value, 0.9) FILTER (m.step < j.start_step) AS high, quantile_cont(m.value, 0.1) FILTER (m.step < j.start_step) AS low,
    count(*) FILTER (m.step < j.start_step) AS n, max(m.value) FILTER (m.step >= j.start_step) AS top
  FROM loss_jump j JOIN metric m ON m.file_id = j.file_id AND m.canonical = 'component_loss' AND isfinite(m.value)
    AND m.step BETWEEN j.start_step - 40 * j.interval AND greatest(j.peak_step, j.start_step + 2 * j.interval)
  WHERE m.name <> j.name
  GROUP BY ALL
), judged AS (
  SELECT *, top > usual + 3 * (high - low) AND top > usual + 0.1 * abs(usual) AS rose FROM near WHERE n >= 8 AND usual IS NOT NULL AND top IS NOT NULL
)
-- A part that was exactly zero is switched on: by plan.
SELECT series_id, run, start_step, list(name ORDER BY name) FILTER (rose) AS rose, list(name ORDER BY name) FILTER (NOT rose) AS calm,
  list(name ORDER BY name) FILTER (rose AND usual = 0 AND high = 0 AND low = 0) AS begun
FROM judged GROUP BY ALL;

-- A number as a person would write it.
CREATE MACRO plain(x) AS CASE WHEN x IS NULL THEN '?' WHEN x = round(x) AND abs(x) < 1e15 THEN x::BIGINT::VARCHAR ELSE printf('%.4g', x) END;

-- Where a log prints no step (the bar that has it stands elsewhere) values are counted: no number to be taken for a step of the run.
CREATE MACRO counted_note(stepless, file, line) AS CASE WHEN stepless THEN ' (no step is printed: its values are counted'
  || coalesce('; that is at epoch ' || (SELECT plain(any_value(m.value)) FROM metric m WHERE m.canonical = 'epoch' AND m.file_id = file AND m.line_no = line), '') || ')' ELSE '' END;
