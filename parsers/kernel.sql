-- Ports that went down or came up, as the kernel saw it. Links come and go while a host boots: what goes down then is left
-- out, as far as the line tells how long the host has been up, or has not been up before in that boot.
CREATE VIEW kernel_link_event AS
WITH said AS (
  SELECT *, message ILIKE '%down' AS is_down, min(CASE WHEN NOT message ILIKE '%down' THEN line_no END) OVER (PARTITION BY file_id, host, device, boot) AS first_up,
         max(line_no) OVER (PARTITION BY file_id, host, device) AS last_line
  FROM kernel_event_of_boot WHERE kind = 'link')
SELECT file_id, line_no, time, uptime_seconds, host, device, boot, CASE WHEN is_down THEN 'down' ELSE 'up' END AS event, is_down AND line_no = last_line AS stays_down
FROM said
WHERE (uptime_seconds > 600 OR (uptime_seconds IS NULL AND first_up < line_no))
  AND regexp_matches(message, 'own$|p$|ACTIVE$');
COMMENT ON VIEW kernel_link_event IS 'ports that went down or came up while the host was running (not while it booted)';

-- Kernel messages with the boot they are of: named by the time it began, or by its place in the file where times are not known.
-- What happened in one boot has nothing to do with the disk or the task of another.
CREATE VIEW kernel_event_of_boot AS
SELECT e.*, coalesce(
    (SELECT max(m.time)::VARCHAR FROM boot_mark m WHERE m.host = e.host AND m.time <= e.time),
    (SELECT max(m.file_id || ':' || lpad(m.line_no::VARCHAR, 12, '0')) FROM boot_mark m
     WHERE m.file_id = e.file_id AND m.line_no <= e.line_no AND m.line_no > 3 AND (m.host = e.host OR m.host IS NULL OR e.host IS NULL) AND (m.time IS NULL OR m.host IS NULL OR e.time IS NULL OR e.host IS NULL)), '') AS boot
FROM kernel_event e;
COMMENT ON VIEW kernel_event_of_boot IS 'kernel_event with the boot of the machine that it is of';
