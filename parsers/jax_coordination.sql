-- Lines that hold a task's name belong to a list only where they follow its head without a gap.
CREATE VIEW coordination_listed AS
SELECT h.event, h.line_no AS head_line, k.file_id, k.line_no, k.time, k.lost_task
FROM (SELECT *, row_number() OVER (PARTITION BY file_id ORDER BY line_no) AS nth FROM coordination_task WHERE event = 'task') k
ASOF JOIN (
  SELECT u.file_id, u.line_no, u.event, (SELECT count(*) FROM coordination_task b WHERE b.event = 'task' AND b.file_id = u.file_id AND b.line_no < u.line_no) AS before
  FROM coordination_task u WHERE u.event IN ('unhealthy', 'start')) h ON h.file_id = k.file_id AND h.line_no <= k.line_no
WHERE k.line_no - h.line_no = k.nth - h.before;
COMMENT ON VIEW coordination_listed IS 'one row per task in a list below a line of the coordination service; event = unhealthy: it stopped sending heartbeats, start: it did not come to the barrier of the start';
