-- Ports that went down or came up, as the kernel saw it. Links come and go while a host boots: what goes down then is left
-- out, as far as the line tells how long the host has been up, or has not been up before.
CREATE VIEW kernel_link_event AS
SELECT file_id, line_no, time, uptime_seconds, host, device, CASE WHEN message ILIKE '%down' THEN 'down' ELSE 'up' END AS event
FROM kernel_event e
WHERE kind = 'link' AND (uptime_seconds > 600 OR (uptime_seconds IS NULL AND EXISTS (
  SELECT 1 FROM kernel_event u WHERE u.file_id = e.file_id AND u.kind = 'link' AND u.device = e.device AND u.line_no < e.line_no AND u.message NOT ILIKE '%down')))
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
