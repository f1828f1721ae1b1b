-- Where a compiler was killed: the program, and the object and step it was at.
CREATE VIEW build_failure AS
WITH ends AS (SELECT file_id, max(step_no) AS last_step, max(steps) AS steps FROM build_step WHERE steps IS NOT NULL GROUP BY ALL)
SELECT k.file_id, k.line_no, k.time, k.host, k.program, k.make_exit,
       coalesce(k.object, f.object) AS object,
       -- the step that made this object; with parallel jobs its neighbours' lines stand between
       coalesce(s.step_no, b.step_no) AS step_no, e.steps
FROM (
  SELECT file_id, line_no, time, host, program, make_exit, object FROM compiler_killed
  UNION ALL
  SELECT b.file_id, b.line_no, b.time, b.host, NULL, NULL, NULL FROM bare_killed b
  WHERE EXISTS (FROM build_step f WHERE f.file_id = b.file_id AND f.failed AND abs(f.line_no - b.line_no) <= 8)
) k
LEFT JOIN LATERAL (SELECT object FROM build_step f WHERE f.file_id = k.file_id AND f.failed AND abs(f.line_no - k.line_no) <= 60 ORDER BY abs(f.line_no - k.line_no) LIMIT 1) f ON true
LEFT JOIN LATERAL (SELECT step_no FROM build_step s WHERE s.file_id = k.file_id AND s.step_no IS NOT NULL AND s.object = coalesce(k.object, f.object) LIMIT 1) s ON true
LEFT JOIN LATERAL (SELECT step_no FROM build_step b WHERE b.file_id = k.file_id AND b.step_no IS NOT NULL AND b.line_no <= k.line_no ORDER BY b.line_no DESC LIMIT 1) b ON true
LEFT JOIN ends e ON e.file_id = k.file_id;
