-- How long steps take, in the order they were written: of each writer (log, rank) the best series that tells.
-- Medians of blocks, never single points: evaluations, checkpoints and the first steps after a start are long by nature.
CREATE TABLE pace AS
WITH named AS (
  SELECT file_id, source, name, canonical, rank, count(*) AS n FROM metric
  -- A sampler's steps grow with the answers it writes.
  WHERE canonical IN ('step_seconds', 'throughput') AND value > 0 AND isfinite(value)
    AND NOT EXISTS (FROM metric_name r WHERE r.canonical IN ('policy_loss', 'value_loss', 'kl', 'reward'))
  GROUP BY ALL HAVING count(*) >= 40
), chosen AS (
  FROM named QUALIFY row_number() OVER (PARTITION BY source, rank ORDER BY canonical, n DESC, name) = 1
), points AS (
  SELECT m.file_id, m.line_no, m.time, m.host, m.source, m.name, m.canonical, m.rank, m.step, m.ordinal, m.value,
    CASE m.canonical WHEN 'throughput' THEN 1 / m.value ELSE m.value END AS seconds -- of a throughput: per token or sample
  FROM metric m JOIN chosen c ON c.file_id = m.file_id AND c.source = m.source AND c.name = m.name AND c.canonical = m.canonical AND c.rank IS NOT DISTINCT FROM m.rank
  WHERE m.value > 0 AND isfinite(m.value)
), runs AS (
  SELECT *, count(*) FILTER (anew) OVER (PARTITION BY source, rank ORDER BY ordinal, line_no) AS run
  FROM (SELECT *, step < 0.1 * lag(step) OVER (PARTITION BY source, rank ORDER BY ordinal, line_no) AS anew FROM points)
), counted AS (
  SELECT *, row_number() OVER w AS k, count(*) OVER (PARTITION BY source, rank, run) AS n,
    count(*) FILTER (grows) OVER (PARTITION BY source, rank, run) AS growing
  FROM (SELECT *, seconds > lag(seconds) OVER (PARTITION BY source, rank, run ORDER BY ordinal, line_no) AS grows FROM runs)
  WINDOW w AS (PARTITION BY source, rank, run ORDER BY ordinal, line_no)
)
SELECT * EXCLUDE (grows, growing), (k - 1) // greatest(5, ceil(n / 24.0)::BIGINT) AS block
FROM counted WHERE n >= 40 AND growing < 0.9 * n; -- what always grows is a clock

CREATE TABLE pace_block AS
SELECT source, rank, run, block, median(seconds) AS seconds, min(k) AS first_k, max(k) AS last_k, count(*) AS points FROM pace GROUP BY ALL;

-- The place where the blocks behind stand highest above the blocks before, all but a few of either side.
CREATE TABLE pace_change AS
WITH sides AS (
  SELECT *, quantile_cont(seconds, 0.9) OVER before AS high_before, median(seconds) OVER before AS usual_before, count(*) OVER before AS blocks_before,
    quantile_cont(seconds, 0.1) OVER behind AS low_behind, median(seconds) OVER behind AS usual_behind, count(*) OVER behind AS blocks_behind,
    last_value(seconds) OVER behind AS last_seconds
  FROM pace_block WHERE block > 0 AND points >= 3 -- the first block is the start of the program
  WINDOW before AS (PARTITION BY source, rank, run ORDER BY block ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    behind AS (PARTITION BY source, rank, run ORDER BY block ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
), best AS (
  FROM sides WHERE blocks_before >= 3 AND blocks_behind >= 2
    AND low_behind > 1.15 * high_before AND usual_behind > 1.25 * usual_before AND last_seconds > 1.2 * high_before
  QUALIFY row_number() OVER (PARTITION BY source, rank, run ORDER BY low_behind / high_before DESC) = 1
), starts AS (
  -- To the row: the first of five of which four are slow.
  SELECT b.source, b.rank, b.run, min(p.k) AS k
  FROM best b JOIN (SELECT source, rank, run, k, seconds, avg(seconds) OVER w AS mean, list(seconds) OVER w AS five FROM pace
                    WINDOW w AS (PARTITION BY source, rank, run ORDER BY k ROWS BETWEEN CURRENT ROW AND 4 FOLLOWING)) p
    ON p.source = b.source AND p.rank IS NOT DISTINCT FROM b.rank AND p.run = b.run AND p.k BETWEEN b.first_k - b.points AND b.last_k
  WHERE p.seconds > sqrt(b.high_before * b.low_behind) AND len(list_filter(p.five, lambda s: s > sqrt(b.high_before * b.low_behind))) >= 4
  GROUP BY ALL
)
SELECT p.*, b.usual_before AS before, b.usual_behind AS behind, b.usual_behind / b.usual_before AS ratio,
  b.last_seconds > 1.25 * b.low_behind AND b.blocks_behind >= 4 AS grows,
  greatest(b.points, 5) AS block_points
FROM starts s JOIN best b ON b.source = s.source AND b.rank IS NOT DISTINCT FROM s.rank AND b.run = s.run
JOIN pace p ON p.source = s.source AND p.rank IS NOT DISTINCT FROM s.rank AND p.run = s.run AND p.k = s.k;

-- Long steps at equal distances, which grow longer and longer: a checkpoint, an evaluation, a collection that does not stay what it was.
CREATE TABLE pace_pulse AS
WITH tall AS (
  SELECT p.*, p.seconds - b.seconds AS extra, p.k - lag(p.k) OVER w AS gap
  FROM pace p JOIN pace_block b ON b.source = p.source AND b.rank IS NOT DISTINCT FROM p.rank AND b.run = p.run AND b.block = p.block
  WHERE p.seconds > 2 * b.seconds AND p.k > 3
  WINDOW w AS (PARTITION BY p.source, p.rank, p.run ORDER BY p.k)
), nth AS (
  SELECT *, median(gap) OVER own AS period, row_number() OVER (PARTITION BY source, rank, run ORDER BY k) AS pulse, count(*) OVER own AS pulses
  FROM tall WINDOW own AS (PARTITION BY source, rank, run)
)
SELECT source, rank, run, any_value(period) AS period, any_value(pulses) AS pulses,
  median(extra) FILTER (pulse <= pulses / 3.0) AS extra_first, median(extra) FILTER (pulse > pulses * 2 / 3.0) AS extra_last,
  arg_min({'file_id': file_id, 'line_no': line_no, 'step': step, 'time': time}, k) AS first_place, arg_max({'file_id': file_id, 'line_no': line_no, 'step': step, 'time': time}, k) AS last_place,
  any_value(canonical) AS canonical, any_value(name) AS name
FROM nth WHERE period >= 3
GROUP BY source, rank, run
HAVING any_value(pulses) >= 6 AND count(*) FILTER (abs(gap - period) <= greatest(1, 0.1 * period)) >= 0.7 * (any_value(pulses) - 1)
  AND extra_last > 2 * extra_first AND extra_last > 0.1 * any_value(period) * (SELECT median(b.seconds) FROM pace_block b WHERE b.source = nth.source AND b.rank IS NOT DISTINCT FROM nth.rank AND b.run = nth.run)
  AND corr(extra, k) > 0.6;
