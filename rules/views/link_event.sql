-- Ports and links that went down or came up, whoever saw it.
CREATE VIEW link_event AS
SELECT 'nccl' AS source, host, hca, hca_port, CASE WHEN event = 'port error' THEN 'down' ELSE 'up' END AS event, '' AS boot, time, file_id, line_no
FROM nccl_ib_event WHERE event IN ('port error', 'port active')
UNION ALL
SELECT 'kernel', host, device, NULL, event, boot, time, file_id, line_no FROM kernel_link_event;

COMMENT ON VIEW link_event IS 'a port of a network device went down or came up';
