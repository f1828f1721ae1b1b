/*
title       = "RDMA transfers fail (InfiniBand, RoCE, EFA)"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network.peer_lost", "crash.exception", "crash.signal", "loss.rollback"]
about       = """
A work request ended in error, or the RDMA device reported a fatal event. Status 12 (retries exceeded, vendor error 129): the peer or the
path to it did not answer - cable, switch, RoCE congestion settings, or the peer is gone. Status 13: the peer had no receive posted, it hangs
or died. Status 5 is the echo of an earlier error and says nothing. The address is that of the peer's control socket; the GIDs and the HCA tell the rail.
"""
remedy      = """
Look at both ends of the named pair at that time: `ibstat`, `rdma link`, port counters (`perfquery -x`, `ethtool -S`: symbol errors, link downed,
discards, out of sequence), the kernel log for mlx5 and Xid lines, the switch port. If many hosts name one peer, that peer is the suspect. For RoCE check
PFC / ECN, MTU and NCCL_IB_GID_INDEX; only then raise NCCL_IB_TIMEOUT / NCCL_IB_RETRY_CNT.
"""
falsely     = "The peer's process died first and its end is not in the logs: status 12 and 13 are then the echo of that."
references  = ["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-ib-timeout", "https://github.com/linux-rdma/rdma-core/blob/master/libibverbs/verbs.h"]
*/
WITH flaps AS (SELECT host, hca FROM link_event WHERE event = 'up'),
trouble AS (
  SELECT i.ib_status AS status, s.status_name, s.meaning AS what, i.vendor_err, i.peer, i.hca, i.local_gid, i.remote_gid, NULL AS event,
         i.host, i.pid, i.rank, i.device_hint, i.time, i.file_id, i.line_no
  FROM nccl_ib_error i LEFT JOIN ib_wc_status s USING (ib_status)
  WHERE NOT coalesce(s.echo, false) OR NOT EXISTS (FROM nccl_ib_error o WHERE o.ib_status IS DISTINCT FROM i.ib_status)
  UNION ALL BY NAME
  SELECT event, 'device event: ' || event AS what, hca, host, pid, rank, device_hint, time, file_id, line_no
  FROM nccl_ib_event WHERE regexp_matches(event, 'catastrophic|CQ error|access violation|invalid request|device fatal|QP fatal')
     OR (event = 'port error' AND NOT EXISTS (FROM flaps f WHERE f.host = nccl_ib_event.host AND f.hca IS NOT DISTINCT FROM nccl_ib_event.hca))
  UNION ALL BY NAME
  SELECT code AS status, error AS what, vendor_err, peer, host, pid, rank, device_hint, time, file_id, line_no FROM nccl_ofi_error
  UNION ALL BY NAME
  SELECT verb || ' failed' || coalesce(': ' || nullif(error, ''), '') AS what, regexp_extract(error, 'dev ([a-z0-9_]+)', 1) AS hca, host, pid, rank, device_hint, time, file_id, line_no
  FROM nccl_verbs_failure WHERE verb = 'ibv_modify_qp'
     OR (verb = 'ibv_create_qp' AND NOT regexp_matches(error, 'Cannot allocate memory|\b12\b'))   -- that one is the limit of locked memory
  UNION ALL BY NAME
  -- The kernel's own users of RDMA (storage, IPoIB); the card numbers its syndromes otherwise than the verbs their status.
  SELECT w.ib_status AS status, w.status_name, w.meaning || ', says the kernel' AS what, k.device AS hca, k.host, k.time, k.file_id, k.line_no, true AS by_kernel
  FROM kernel_event k JOIN ib_wc_status w ON w.ib_status = CASE k.message WHEN '0x1' THEN 1 WHEN '0x2' THEN 2 WHEN '0x4' THEN 4 WHEN '0x10' THEN 7 WHEN '0x11' THEN 8 WHEN '0x12' THEN 9
                                                                          WHEN '0x13' THEN 10 WHEN '0x14' THEN 11 WHEN '0x15' THEN 12 WHEN '0x16' THEN 13 WHEN '0x22' THEN 16 END
  WHERE k.kind = 'ib_syndrome' AND k.device IS NOT NULL   -- an Ethernet queue that stumbles is set right by its driver
), known AS (
  SELECT t.*, coalesce(t.rank, p.rank) AS job_rank, coalesce(p.gpu_index, t.device_hint) AS gpu,
         count(DISTINCT t.host) OVER (PARTITION BY t.peer) AS hosts_of_peer
  FROM trouble t LEFT JOIN nccl_process p ON p.host = t.host AND p.pid = t.pid
), first AS (
  -- The earliest is nearest to the cause; without times, the one about the peer that most hosts complain of.
  SELECT *, count(*) OVER () AS times FROM known
  QUALIFY row_number() OVER (ORDER BY time NULLS LAST, hosts_of_peer DESC, file_id, line_no) = 1
), completion AS (   -- a device's event stands first, and the transfers that failed with it tell the peer
  SELECT * FROM known WHERE status IS NOT NULL QUALIFY row_number() OVER (ORDER BY time NULLS LAST, hosts_of_peer DESC, file_id, line_no) = 1
), all_of AS (
  SELECT list(DISTINCT host ORDER BY host) FILTER (host IS NOT NULL) AS hosts, list(DISTINCT job_rank ORDER BY job_rank) FILTER (job_rank IS NOT NULL) AS ranks,
         list(DISTINCT gpu::VARCHAR ORDER BY gpu::VARCHAR) FILTER (gpu IS NOT NULL) AS gpus, list(DISTINCT peer ORDER BY peer) FILTER (peer IS NOT NULL) AS peers,
         min(time) AS at, max(time) AS until, list(line_at(file_id, line_no) ORDER BY time NULLS LAST, file_id, line_no) AS evidence, bool_and(coalesce(by_kernel, false)) AS by_kernel
  FROM known
)
SELECT format('RDMA error on {}{}{}: {}{}',
              coalesce(f.host, 'a host'), CASE WHEN f.gpu IS NOT NULL THEN ' GPU ' || f.gpu ELSE '' END,
              CASE WHEN f.peer IS NOT NULL THEN ' towards ' || coalesce(a.host || ' (' || f.peer || ')', f.peer) ELSE '' END,
              CASE WHEN f.status_name IS NOT NULL THEN 'status ' || f.status || ' ' || f.status_name || ', ' || f.what ELSE f.what END,
              CASE WHEN len(l.hosts) > 1 THEN '; ' || len(l.hosts) || ' hosts report errors' ELSE '' END) AS summary,
       l.evidence, l.at, l.until, l.ranks, l.hosts, l.gpus,
       coalesce(f.status, c.status) AS status, coalesce(f.status_name, c.status_name) AS status_name, coalesce(f.vendor_err, c.vendor_err) AS vendor_err, coalesce(f.peer, c.peer) AS peer, CASE WHEN len(l.peers) > 1 THEN l.peers END AS peers, a.host AS peer_host,
       coalesce(nullif(f.hca, ''), c.hca) AS device, f.event, coalesce(f.local_gid, c.local_gid) AS local_gid, coalesce(f.remote_gid, c.remote_gid) AS remote_gid, f.times,
       -- only flushed requests: the error they follow is not in these logs
       CASE WHEN f.status_name = 'WR_FLUSH_ERR' THEN 'possible' WHEN l.by_kernel THEN 'probable' END AS confidence, CASE WHEN f.status_name = 'WR_FLUSH_ERR' OR l.by_kernel THEN 'warning' END AS severity
FROM first f CROSS JOIN all_of l LEFT JOIN completion c ON true LEFT JOIN address_host a ON a.address = coalesce(f.peer, c.peer)
