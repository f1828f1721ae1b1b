/*
title       = "NCCL uses a slow transport"
severity    = "warning"
confidence  = "probable"
status      = "stable"
about       = """
Nodes talk over TCP sockets although a training job needs RDMA, or some GPUs of a job lack the direct path that the others have.
"""
remedy      = """
Find out why RDMA was not used: is the HCA visible in the container (/dev/infiniband, `ibv_devices`), is the network plugin there (libnccl-net.so, aws-ofi-nccl),
does NCCL_IB_DISABLE, NCCL_NET or NCCL_IB_HCA keep it away? NCCL_DEBUG_SUBSYS=INIT,NET tells what was found.
"""
falsely     = "The cluster has nothing faster than Ethernet without RDMA, and that is known."
references  = ["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"]
*/
WITH of_process AS (
  SELECT host, pid, max(nnodes) AS nnodes FROM nccl_topology GROUP BY ALL
), of_size AS (SELECT host, pid, max(nranks) AS nranks FROM nccl_comm GROUP BY ALL),
spread AS (SELECT max(len(hosts)) AS hosts FROM communicator WHERE NOT ambiguous),
sockets AS (   -- between nodes: an edge over the network, or the choice of the network where the communicator spans nodes
  SELECT t.host, t.pid, t.file_id, t.line_no, 'edge' AS how FROM transport t WHERE t.kind = 'NET' AND t.network = 'Socket'
  UNION ALL
  SELECT coalesce(n.host, ''), coalesce(n.pid, 0), n.file_id, n.line_no, 'choice' FROM nccl_network n WHERE n.event = 'chosen' AND trim(n.network) = 'Socket'
), slow AS (
  SELECT s.*, coalesce(p.nnodes, CASE WHEN how = 'edge' THEN 2 END, CASE WHEN nranks > 16 THEN 2 END, (SELECT hosts FROM spread)) AS nnodes, z.nranks
  FROM sockets s LEFT JOIN of_process p USING (host, pid) LEFT JOIN of_size z USING (host, pid)
), reason AS (
  SELECT line_at(file_id, line_no) AS at_line, host, 'no InfiniBand or RoCE device was found' AS why, 1 AS weight FROM nccl_network WHERE event = 'no_device' AND network = 'IB'
  UNION ALL
  SELECT line_at(file_id, line_no), host, name || ' = ' || value, 0 FROM setting
  WHERE (name = 'NCCL_IB_DISABLE' AND value = '1') OR (name = 'NCCL_NET' AND value ILIKE 'socket')
  UNION ALL
  SELECT line_at(file_id, line_no), host, 'the network plugin ' || network || ' could not start', 2 FROM nccl_network WHERE event = 'plugin_failed'
), gdr AS (   -- GPUs that lack GPUDirect RDMA where others of the job have it
  SELECT host, bool_or(gdr) AS has_gdr, arg_min(line_at(file_id, line_no), line_no) AS at_line
  FROM transport WHERE kind = 'NET' AND network NOT IN ('', 'Socket') GROUP BY host
)
SELECT format('{} ranks on {} nodes talk over TCP sockets{}', coalesce(max(nranks)::VARCHAR, 'the'), max(nnodes),
              coalesce(': ' || (SELECT arg_min(why, weight) FROM reason), '')) AS summary,
       list_concat(coalesce(list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:10], []),
                   coalesce((SELECT list(at_line) FROM (SELECT at_line FROM reason ORDER BY weight LIMIT 3)), [])) AS evidence,
       list(DISTINCT host ORDER BY host) FILTER (host <> '') AS hosts, 'Socket' AS network, max(nranks) AS nranks, max(nnodes) AS nnodes,
       (SELECT arg_min(why, weight) FROM reason) AS reason,
       CASE WHEN (SELECT count(*) FROM reason) > 0 THEN 'definite' ELSE 'probable' END AS confidence,
       -- A job that ended in a failure did not fail of being slow.
       CASE WHEN EXISTS (FROM trouble_sign) OR EXISTS (FROM nccl_socket WHERE event IN ('closed_by_peer', 'io_failed')) THEN 'info' END AS severity
FROM slow WHERE nnodes > 1
HAVING count(*) > 0
UNION ALL BY NAME
SELECT format('{} reach{} the network without GPUDirect RDMA, which {} has', array_to_string(list(host ORDER BY host) FILTER (NOT has_gdr), ', '),
              CASE WHEN count(*) FILTER (NOT has_gdr) = 1 THEN 'es' ELSE '' END, min(host) FILTER (has_gdr)) AS summary,
       list(at_line ORDER BY has_gdr) AS evidence, list(host ORDER BY host) FILTER (NOT has_gdr) AS hosts, 'no GPUDirect RDMA' AS reason, 'probable' AS confidence
FROM gdr HAVING count(*) FILTER (NOT has_gdr) BETWEEN 1 AND count(*) FILTER (has_gdr)
