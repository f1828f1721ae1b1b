-- Attempts to look into a process that failed: who was meant is often told by a mark before it, or by the name of the file.

CREATE TABLE attach_refused AS
WITH said AS (
  SELECT file_id, line_no, stream, pid, rank, host, tool, reason FROM attach_refusal
  UNION ALL
  -- Any program may print the cause alone: it is py-spy's below py-spy's own words.
  SELECT f.file_id, f.line_no, f.stream, f.pid, f.rank, f.host, 'py-spy', f.reason FROM stack_failure f
  WHERE f.reason IN ('permission', 'traced') OR f.reason IN ('gone', 'capability') AND EXISTS (FROM stack_failure h WHERE h.reason = 'unreached' AND h.file_id = f.file_id AND f.line_no BETWEEN h.line_no AND h.line_no + 6)
), head AS (
  SELECT file_id, line_no, pid, rank, host FROM stack_mark WHERE kind <> 'date' AND (pid IS NOT NULL OR rank IS NOT NULL)
  UNION ALL SELECT file_id, line_no, pid, rank, host FROM stack_process WHERE source_kind = 'py-spy' AND pid IS NOT NULL
), meant AS (
  SELECT s.file_id, s.line_no, s.tool, s.reason, coalesce(s.host, h.host, f.host) AS host, coalesce(s.rank, h.rank, f.rank) AS rank,
         coalesce(s.pid, h.pid, TRY_CAST(nullif(regexp_extract(f.path, '(?:pid|py-?spy|dumps?/|stack|trace|native|strace|gdb)[-_.]?([0-9]{3,8})(?:\.[a-z]+)?$', 1), '') AS BIGINT)) AS pid
  FROM said s JOIN file f USING (file_id) ASOF LEFT JOIN head h ON h.file_id = s.file_id AND h.line_no <= s.line_no
), known AS (
  SELECT m.* REPLACE (coalesce(m.rank, k.rank) AS rank, coalesce(m.host, k.host) AS host)
  FROM meant m LEFT JOIN stack_known_rank k ON k.pid = m.pid AND (k.claims = 1 OR k.host = m.host)
)
SELECT * FROM known k
-- somebody else got in, or the same tool later
WHERE NOT EXISTS (FROM stack_main d WHERE d.failure IS NULL AND (d.pid = k.pid AND (d.host IS NULL OR k.host IS NULL OR d.host = k.host) OR d.rank = k.rank))
  AND NOT EXISTS (FROM strace_thread t WHERE t.tid = k.pid)
-- gdb says in a line of its own why the kernel refused it
QUALIFY row_number() OVER (PARTITION BY k.file_id, k.tool, k.pid, k.rank ORDER BY k.reason = 'traced' DESC, k.line_no) = 1;

COMMENT ON TABLE attach_refused IS 'processes that py-spy, strace or gdb could not look into, of which no other stack or trace is there: reason = permission | capability (root lacks SYS_PTRACE) | traced (another debugger holds it) | gone';

-- In the shape rules/views/missing_rank.sql asks for: all others wait, and this rank's process was not there any more.
CREATE VIEW missing_rank_gone AS
SELECT 'attach' AS source, list_sort(list(DISTINCT rank)) AS ranks, coalesce(list(DISTINCT pid) FILTER (pid IS NOT NULL), []) AS pids, coalesce(list(DISTINCT host) FILTER (host IS NOT NULL), []) AS hosts,
       any_value(tool) || ' found no process' || coalesce(' ' || string_agg(DISTINCT pid::VARCHAR, ', '), '') || ' of rank ' || ranges(list(DISTINCT rank)) || ' any more, while all that were dumped wait' AS said,
       'probable' AS grade, 'outside' AS place, NULL::VARCHAR AS side, NULL::TIMESTAMP AS "at", list(line_at(file_id, line_no) ORDER BY rank) AS evidence
FROM attach_refused WHERE reason = 'gone' AND rank IS NOT NULL
HAVING count(*) > 0 AND (SELECT count(*) >= 2 AND bool_and(peer) AND count(*) >= 3 * count(DISTINCT attach_refused.rank) FROM stack_rank WHERE NOT failed);
