-- Ports that went down or came up, as the kernel saw it. Links come and go while a host boots: what goes down then is left
-- out, as far as the line tells how long the host has been up, or has not been up before.
CREATE VIEW kernel_link_event AS
SELECT file_id, line_no, time, uptime_seconds, host, device, CASE WHEN message ILIKE '%down' THEN 'down' ELSE 'up' END AS event
FROM kernel_event e
WHERE kind = 'link' AND (uptime_seconds > 600 OR (uptime_seconds IS NULL AND EXISTS (
  SELECT 1 FROM kernel_event u WHERE u.file_id = e.file_id AND u.kind = 'link' AND u.device = e.device AND u.line_no < e.line_no AND u.message NOT ILIKE '%down')))
  AND regexp_matches(message, 'own$|p$|ACTIVE$');
COMMENT ON VIEW kernel_link_event IS 'ports that went down or came up while the host was running (not while it booted)';
