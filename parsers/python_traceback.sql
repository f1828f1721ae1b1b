-- One row per exception that was printed: with its traceback, or the last line alone where that is all there is.
-- The earliest exception of a chain is printed first; what follows "During handling" or "direct cause" is raised later.
CREATE TABLE exception AS
WITH frames AS (
  SELECT file_id, traceback_line,
         list(source || ':' || line || coalesce(' in ' || "function", '') ORDER BY line_no) AS frames,
         last(source ORDER BY line_no) AS source, last(line ORDER BY line_no) AS line, last("function" ORDER BY line_no) AS "function"
  FROM traceback_frame GROUP BY ALL
), ends AS (
  SELECT e.*, coalesce(h.pid, e.pid) AS pid_, coalesce(e.time, h.time) AS time_
  FROM traceback_end e LEFT JOIN traceback h ON h.file_id = e.file_id AND h.line_no = e.traceback_line
), links AS (   -- lines of a stream in order: a head that follows a chaining line continues the chain
  SELECT file_id, stream, line_no, 1 AS is_head, NULL AS how FROM traceback
  UNION ALL SELECT file_id, stream, line_no, 0, how FROM traceback_chain
), heads AS (
  SELECT file_id, stream, line_no, is_head, lag(how) OVER (PARTITION BY file_id, stream ORDER BY line_no) AS chained
  FROM links
), chains AS (
  SELECT file_id, line_no AS traceback_line, chained,
         max(line_no) FILTER (coalesce(chained, '') NOT IN ('during', 'cause')) OVER (PARTITION BY file_id, stream ORDER BY line_no) AS chain_line
  FROM heads WHERE is_head = 1
), printed AS (
  SELECT e.type, trim(split_part(coalesce(e.message, ''), 'Traceback (most recent call last)', 1), E' \n') AS message,
         f.source AS file, f.line, f."function", e.rank, e.local_rank, e.task, e.pid_ AS pid, e.host, e.time_ AS time, e.time_quality, e.stream,
         e.file_id, e.line_no, e.traceback_line, f.frames, c.chained, coalesce(c.chain_line, e.line_no) AS chain_line
  FROM ends e LEFT JOIN frames f ON f.file_id = e.file_id AND f.traceback_line = e.traceback_line
  LEFT JOIN chains c ON c.file_id = e.file_id AND c.traceback_line = e.traceback_line
  UNION ALL
  SELECT l.type, trim(split_part(coalesce(l.message, ''), 'Traceback (most recent call last)', 1), E' \n'), NULL, NULL, NULL,
         l.rank, l.local_rank, l.task, l.pid, l.host, l.time, l.time_quality, l.stream, l.file_id, l.line_no, NULL, NULL, NULL, l.line_no
  FROM exception_line l ANTI JOIN traceback_end e ON e.file_id = l.file_id AND e.line_no = l.line_no
)
SELECT type, split_part(type, '.', -1) AS class, message, file, line, "function", rank, local_rank, task, pid, host, time, time_quality, stream,
       file_id, line_no, traceback_line, frames, chained, chain_line,
       line_no = min(line_no) OVER chain AS origin,
       line_no = max(line_no) OVER chain AS final
FROM printed
WINDOW chain AS (PARTITION BY file_id, stream, chain_line);

COMMENT ON TABLE exception IS 'one row per exception printed; class = type without its module, line_no = its last line, frames outermost first (file:line in function), file/line/function = where it was raised, origin / final = first / last of its chain (chain_line), chained = during | cause (how it follows the one before) | ignored | thread';
