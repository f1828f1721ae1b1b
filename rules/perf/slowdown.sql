/*
title = "Training became slower"
severity = "warning"
confidence = "probable"
status = "stable"
about = "The time of a step went up for good, or the pauses at regular steps grow longer and longer. Told from medians of blocks of steps: evaluations, checkpoints and first steps do not count, nor does a change of batch size or sequence length."
remedy = "Look at that time for a GPU that lowers its clocks (heat, power), a link that went down to fewer lanes, a busy file system or data loader, another job on the host. Where one rank or host is named, compare its clocks and links with a healthy one."
falsely = "The work of a step grew by plan and the log does not say so (longer sequences, more experts, an evaluation in every step)."
references = ["https://arxiv.org/abs/2402.15627", "https://arxiv.org/abs/2407.21783"]
*/
WITH planned AS (
  -- Steps that do more work take longer.
  SELECT c.writer, c.run FROM pace_change c, planned_change g
  WHERE g.file_id = c.file_id AND (g.what IS NULL OR g.line_no BETWEEN (SELECT p.line_no FROM pace p WHERE p.writer = c.writer AND p.run = c.run AND p.k = greatest(c.k - c.block_points, 1))
    AND coalesce((SELECT p.line_no FROM pace p WHERE p.writer = c.writer AND p.run = c.run AND p.k = c.k + c.block_points), c.line_no))
), change AS (
  SELECT c.*, coalesce(c.host, r.host) AS on_host,
    -- A restart just before: another allocation, other settings.
    EXISTS (FROM training_event e WHERE e.file_id = c.file_id AND e.kind IN ('resume', 'load', 'start', 'fresh_start')
            AND e.line_no BETWEEN (SELECT p.line_no FROM pace p WHERE p.writer = c.writer AND p.run = c.run AND p.k = greatest(c.k - 3, 1)) AND c.line_no) AS restarted
  FROM pace_change c LEFT JOIN rank r ON r.rank = c.rank
  WHERE NOT EXISTS (FROM planned p WHERE p.writer = c.writer AND p.run = c.run)
), islands AS (
  SELECT *, count_if(apart) OVER (ORDER BY step, source, rank) AS incident_no
  FROM (SELECT *, coalesce(step > lag(step) OVER w * 1.02 + 5, true) AS apart FROM change WINDOW w AS (ORDER BY step, source, rank))
), incident AS (
  SELECT *, list(rank) FILTER (rank IS NOT NULL) OVER same AS slow_ranks, list(DISTINCT on_host) FILTER (on_host IS NOT NULL) OVER same AS slow_hosts,
    list(line_at(file_id, line_no)) OVER same AS places
  FROM islands WINDOW same AS (PARTITION BY incident_no)
  QUALIFY row_number() OVER (PARTITION BY incident_no ORDER BY ratio DESC, n DESC, source) = 1
), writers AS (
  SELECT count(DISTINCT rank) AS ranks FROM pace_writer
), told AS (
  SELECT i.*, w.ranks AS of_ranks,
    -- Blame where few of many became slow.
    w.ranks >= 3 AND len(slow_ranks) > 0 AND len(slow_ranks) <= greatest(1, 0.3 * w.ranks) AS few
  FROM incident i, writers w
), rates AS (
  SELECT *, CASE canonical WHEN 'throughput' THEN name || ' fell from ' || plain(1 / before) || ' to ' || plain(1 / behind)
            ELSE 'a step takes ' || plain(behind) || ' s instead of ' || plain(before) || ' s' END AS says FROM told
)
SELECT
  CASE WHEN few THEN 'Rank ' || ranges(slow_ranks) || coalesce(CASE WHEN len(slow_hosts) = 1 THEN ' on ' || slow_hosts[1] END, '') || ' became slower' ELSE 'Training became slower' END
    || ' from step ' || plain(step) || ' on: ' || says || ' (' || printf('%.1f', ratio) || ' times)'
    || CASE WHEN grows THEN ', and it goes on growing' ELSE '' END
    || CASE WHEN few THEN '; the other ' || of_ranks - len(slow_ranks) || ' ranks did not' WHEN of_ranks > 1 AND len(slow_ranks) = of_ranks THEN '; all ' || of_ranks || ' ranks alike' ELSE '' END
    || CASE WHEN restarted THEN '; a restart stands just before it' ELSE '' END AS summary,
  [line_at(p.file_id, p.line_no)] || places AS evidence,
  CASE WHEN restarted THEN 'info' END AS severity, r.time AS at,
  CASE WHEN few THEN slow_ranks END AS ranks, CASE WHEN few AND len(slow_hosts) = 1 THEN slow_hosts END AS hosts,
  r.step, round(ratio, 3) AS ratio, CASE WHEN grows THEN 'growing' ELSE 'shift' END AS class,
  CASE WHEN canonical = 'step_seconds' THEN before END AS step_seconds_before, CASE WHEN canonical = 'step_seconds' THEN behind END AS step_seconds_after,
  CASE WHEN few THEN 'rank' WHEN of_ranks > 1 THEN 'all' END AS extent, r.name AS metric, NULL::DOUBLE AS period
FROM rates r
LEFT JOIN LATERAL (SELECT file_id, line_no FROM pace p WHERE p.writer = r.writer AND p.run = r.run AND p.k = r.k - 1) p ON true
UNION ALL BY NAME
SELECT 'Every ' || plain(period) || ' points a step takes longer, and more each time: ' || CASE canonical WHEN 'throughput' THEN printf('%.1f', extra_last / extra_first) || ' times the loss of the first ones'
      ELSE plain(extra_last) || ' s on top at the end, ' || plain(extra_first) || ' s at first' END AS summary,
  [line_at(first_place.file_id, first_place.line_no), line_at(last_place.file_id, last_place.line_no)] AS evidence,
  first_place.time AS at, first_place.step AS step, round(extra_last / extra_first, 3) AS ratio, 'periodic' AS class, name AS metric, period,
  CASE WHEN rank IS NOT NULL THEN [rank] END AS ranks
FROM pace_pulse
WHERE NOT EXISTS (FROM change)
QUALIFY row_number() OVER (PARTITION BY period ORDER BY extra_last / extra_first DESC, writer) = 1
