-- How long steps take, in the order they were written: of each writer (log, rank) the best series that tells.
-- Medians of blocks, never single points: evaluations, checkpoints and the first steps after a start are long by nature.
CREATE TABLE pace_writer AS
WITH named AS (
  SELECT file_id, source, name, canonical, rank, count(*) AS n, any_value(host) AS host FROM metric
  WHERE canonical IN ('step_seconds', 'throughput') AND value > 0 AND isfinite(value)
  GROUP BY ALL HAVING count(*) >= 40
), chosen AS (
  FROM named
  -- A sampler's steps grow with the answers it writes.
  WHERE NOT EXISTS (FROM metric_name r WHERE r.canonical IN ('policy_loss', 'value_loss', 'kl', 'reward'))
  QUALIFY row_number() OVER (PARTITION BY source, rank ORDER BY canonical, n DESC, name) = 1
)
SELECT row_number() OVER (ORDER BY source, rank) AS writer, * FROM chosen;

CREATE TABLE pace AS
WITH points AS (
  SELECT c.writer, m.file_id, m.line_no, m.time, m.step, m.ordinal,
    CASE m.canonical WHEN 'throughput' THEN 1 / m.value ELSE m.value END AS seconds -- of a throughput: per token or sample
  FROM metric m JOIN pace_writer c ON c.file_id = m.file_id AND c.name = m.name AND c.source = m.source AND c.canonical = m.canonical AND c.rank IS NOT DISTINCT FROM m.rank
  WHERE m.canonical IN ('step_seconds', 'throughput') AND m.value > 0 AND isfinite(m.value)
), moved AS (
  SELECT *, step < 0.1 * lag(step) OVER w AS anew, seconds > lag(seconds) OVER w AS longer FROM points WINDOW w AS (PARTITION BY writer ORDER BY ordinal)
), runs AS (
  SELECT * EXCLUDE (anew), coalesce(sum(anew::INT) OVER (PARTITION BY writer ORDER BY ordinal ROWS UNBOUNDED PRECEDING), 0)::BIGINT AS run FROM moved
), counted AS (
  SELECT *, row_number() OVER (PARTITION BY writer, run ORDER BY ordinal) AS k FROM runs
), sizes AS (
  SELECT writer, run, count(*) AS n FROM counted GROUP BY writer, run HAVING n >= 40 AND count(*) FILTER (longer) < 0.9 * n -- what always grows is a clock
)
SELECT c.* EXCLUDE (longer, ordinal), s.n, (k - 1) // greatest(5, ceil(s.n / 24.0)::BIGINT) AS block
FROM counted c JOIN sizes s USING (writer, run);

CREATE TABLE pace_block AS
SELECT writer, run, block, median(seconds) AS seconds, min(k) AS first_k, max(k) AS last_k, count(*) AS points FROM pace GROUP BY ALL;

-- The place where the blocks behind stand highest above the blocks before, all but a few of either side.
CREATE TABLE pace_change AS
WITH sides AS (
  SELECT *, quantile_cont(seconds, 0.9) OVER before AS high_before, median(seconds) OVER before AS usual_before, count(*) OVER before AS blocks_before,
    quantile_cont(seconds, 0.1) OVER behind AS low_behind, median(seconds) OVER behind AS usual_behind, count(*) OVER behind AS blocks_behind,
    last_value(seconds) OVER behind AS last_seconds
  FROM pace_block WHERE block > 0 AND points >= 3 -- the first block is the start of the program
  WINDOW before AS (PARTITION BY writer, run ORDER BY block ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    behind AS (PARTITION BY writer, run ORDER BY block ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
), best AS (
  FROM sides WHERE blocks_before >= 3 AND blocks_behind >= 2
    AND low_behind > 1.15 * high_before AND usual_behind > 1.25 * usual_before AND last_seconds > 1.2 * high_before
  -- of equals the last: quantiles forgive a block on the wrong side
  QUALIFY row_number() OVER (PARTITION BY writer, run ORDER BY low_behind / high_before DESC, block DESC) = 1
), starts AS (
  -- To the row: the first of five of which four are slow.
  SELECT b.writer, b.run, min(p.k) AS k
  FROM best b JOIN (SELECT writer, run, k, seconds, avg(seconds) OVER w AS mean, list(seconds) OVER w AS five FROM pace
                    WINDOW w AS (PARTITION BY writer, run ORDER BY k ROWS BETWEEN CURRENT ROW AND 4 FOLLOWING)) p
    ON p.writer = b.writer AND p.run = b.run AND p.k BETWEEN b.first_k - b.points AND b.last_k
  WHERE p.seconds > sqrt(b.high_before * b.low_behind) AND len(list_filter(p.five, lambda s: s > sqrt(b.high_before * b.low_behind))) >= 4
  GROUP BY ALL
)
SELECT p.*, w.source, w.name, w.canonical, w.rank, w.host, b.usual_before AS before, b.usual_behind AS behind, b.usual_behind / b.usual_before AS ratio,
  b.last_seconds > 1.25 * b.low_behind AND b.blocks_behind >= 4 AS grows,
  greatest(b.points, 5) AS block_points
FROM starts s JOIN best b ON b.writer = s.writer AND b.run = s.run
JOIN pace p ON p.writer = s.writer AND p.run = s.run AND p.k = s.k
JOIN pace_writer w ON w.writer = s.writer;

-- Long steps at equal distances, which grow longer and longer: a checkpoint, an evaluation, a collection that does not stay what it was.
CREATE TABLE pace_pulse AS
WITH tall AS (
  SELECT p.*, p.seconds - b.seconds AS extra, p.k - lag(p.k) OVER w AS gap
  FROM pace p JOIN pace_block b ON b.writer = p.writer AND b.run = p.run AND b.block = p.block
  WHERE p.seconds > 2 * b.seconds AND p.k > 3
  WINDOW w AS (PARTITION BY p.writer, p.run ORDER BY p.k)
), nth AS (
  SELECT *, median(gap) OVER own AS period, row_number() OVER (PARTITION BY writer, run ORDER BY k) AS pulse, count(*) OVER own AS pulses
  FROM tall WINDOW own AS (PARTITION BY writer, run)
)
SELECT writer, run, any_value(period) AS period, any_value(pulses) AS pulses,
  median(extra) FILTER (pulse <= pulses / 3.0) AS extra_first, median(extra) FILTER (pulse > pulses * 2 / 3.0) AS extra_last,
  arg_min({'file_id': nth.file_id, 'line_no': line_no, 'step': step, 'time': time}, k) AS first_place, arg_max({'file_id': nth.file_id, 'line_no': line_no, 'step': step, 'time': time}, k) AS last_place,
  any_value(w.canonical) AS canonical, any_value(w.name) AS name, any_value(w.rank) AS rank
FROM nth JOIN pace_writer w USING (writer) WHERE period >= 3
GROUP BY writer, run
HAVING any_value(pulses) >= 6 AND count(*) FILTER (abs(gap - period) <= greatest(1, 0.1 * period)) >= 0.7 * (any_value(pulses) - 1)
  AND extra_last > 2 * extra_first AND extra_last > 0.1 * any_value(period) * (SELECT median(b.seconds) FROM pace_block b WHERE b.writer = nth.writer AND b.run = nth.run)
  AND corr(extra, k) > 0.6;
