/*
title = "The log of a rank stopped long before those of its peers"
severity = "warning"
confidence = "probable"
status = "stable"
explains   = ["hang.collective_timeout", "network.peer_lost"]
about = """
A rank printed its training steps at a steady pace, then nothing more, while most other ranks went on to write - steps, timeouts, errors - for ten of
its longest pauses and at least a minute. It hung or was lost without a word. Ranks that end with an exit code, an exception or a place in another
incident's evidence are not told again; nor are ranks that never had a rhythm (where only rank 0 logs), nor the end of a run in which nothing went wrong.
"""
remedy = "Look at this rank: its process (py-spy dump, ps: state D, T or gone), the kernel log of its host at the time of its last line, its GPU."
falsely = "A log that was copied before the others, or one whose disk was full, ends early too."
references = ["https://docs.pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications"]
*/
-- only with training_line
WITH step AS (
  SELECT coalesce(t.rank, f.rank) AS rank, coalesce(t.host, f.host) AS host, t.time, t.at_step, t.file_id, t.line_no, f.path
  FROM training_line AS t JOIN file AS f USING (file_id)
  WHERE t.time IS NOT NULL AND coalesce(t.rank, f.rank) IS NOT NULL
), paced AS (
  SELECT *, epoch(time) - lag(epoch(time)) OVER (PARTITION BY rank ORDER BY time, file_id, line_no) AS pause FROM step
), rhythm AS (
  SELECT rank, any_value(host) AS host, count(*) AS lines, median(pause) AS usual, max(pause) AS longest, max(time) AS stepped, max(at_step) AS last_step,
    arg_max(file_id, (time, line_no)) AS file_id, arg_max(line_no, (time, line_no)) AS line_no, arg_max(path, (time, line_no)) AS path
  FROM paced GROUP BY rank HAVING count(*) >= 10 AND max(pause) > 0
), word AS (
  SELECT rank, time, file_id, line_no FROM step
  UNION ALL SELECT coalesce(t.rank, f.rank), t.time, t.file_id, t.line_no FROM c10d_timeout_line AS t JOIN file AS f USING (file_id)
  UNION ALL SELECT coalesce(t.rank, f.rank), t.time, t.file_id, t.line_no FROM c10d_status AS t JOIN file AS f USING (file_id)
  UNION ALL SELECT coalesce(t.rank, f.rank), t.time, t.file_id, t.line_no FROM c10d_heartbeat AS t JOIN file AS f USING (file_id)
  UNION ALL SELECT coalesce(t.rank, f.rank), t.time, t.file_id, t.line_no FROM exception AS t JOIN file AS f USING (file_id)
), last_word AS (
  SELECT rank, max(time) AS time, arg_max({'file_id': file_id, 'line_no': line_no}, time) AS line FROM word WHERE time IS NOT NULL AND rank IS NOT NULL GROUP BY rank
), known AS (SELECT r.*, w.time AS last_time, w.line FROM rhythm AS r JOIN last_word AS w USING (rank)),
compared AS (
  SELECT a.rank, any_value(a.host) AS host, any_value(a.path) AS path, any_value(a.usual) AS usual, any_value(a.last_time) AS last_time, any_value(a.line) AS line,
    count(*) AS others, count(*) FILTER (later) AS outlived, count(*) FILTER (later AND o.last_step > a.last_step) AS ahead,
    median(epoch(o.last_time) - epoch(a.last_time)) FILTER (later) AS seconds, list(o.line ORDER BY o.last_time DESC) FILTER (later) AS lines
  FROM (SELECT a.rank, o.rank AS other, o.last_time > a.last_time + greatest(60, 10 * a.longest) * INTERVAL 1 SECOND AS later FROM known AS a JOIN known AS o ON o.rank <> a.rank) AS pair
  JOIN known AS a ON a.rank = pair.rank JOIN known AS o ON o.rank = pair.other GROUP BY a.rank
), silent AS (
  SELECT * FROM compared
  WHERE others >= 2 AND 3 * outlived >= 2 * others
    -- At the end of a good run rank 0 saves and evaluates alone; a new attempt may leave a rank out.
    AND (ahead > 0 OR EXISTS (FROM trouble_sign AS s WHERE s.time > compared.last_time))
    AND NOT EXISTS (FROM exit AS e WHERE e.rank = compared.rank) AND NOT EXISTS (FROM exception AS e WHERE e.rank = compared.rank)
    AND NOT EXISTS (FROM missing_rank_suspect AS m WHERE list_contains(m.ranks, compared.rank))
    AND NOT EXISTS (FROM (SELECT rank, time, at_step, lag(at_step) OVER (PARTITION BY rank ORDER BY time, file_id, line_no) AS before FROM step) AS b
                    WHERE b.at_step < b.before AND b.time > compared.last_time)
)
SELECT CASE WHEN count(*) = 1 THEN 'The log of rank ' ELSE 'The logs of ranks ' END || ranges(list(rank)) || coalesce(' (' || nullif(array_to_string(list(DISTINCT host), ', '), '') || ')', '')
    || CASE WHEN count(*) = 1 THEN ' stops ' ELSE ' stop ' END || round(min(seconds))::BIGINT || ' s before those of ' || min(outlived) || ' other ranks, after a line every '
    || CASE WHEN median(usual) < 10 THEN round(median(usual), 1)::VARCHAR ELSE round(median(usual))::BIGINT::VARCHAR END || ' s.' AS summary,
  list(line_at(line.file_id, line.line_no) ORDER BY rank)[:6] || list_transform(any_value(lines)[:3], lambda l: line_at(l.file_id, l.line_no)) AS evidence,
  min(last_time) AS at, list(rank ORDER BY rank) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, CASE WHEN count(*) = 1 THEN any_value(path) END AS path,
  round(min(seconds), 1) AS seconds, round(median(usual), 3) AS usual_pause_seconds
FROM silent HAVING count(*) > 0 AND count(*) <= greatest(1, (SELECT count(*) FROM known) // 4)
