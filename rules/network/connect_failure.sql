/*
title       = "A peer cannot be reached"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network.peer_lost", "crash.exception", "crash.signal", "loss.rollback"]
about       = """
A connection was refused, timed out or found no route. One peer that many cannot reach is itself the suspect: its process is not
there, or a firewall or route stands before it. One host that reaches nobody is the suspect itself.
Behind NCCL up to 2.23 `Software caused connection abort` is a refused connection on its second try.
"""
remedy      = """
On the peer: is the process alive and does it listen (ss -ltnp)? From the host that failed: nc -vz PEER PORT. Then firewall rules between
the two, the interface that was chosen (NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME), MASTER_ADDR, and routes of that subnet.
"""
falsely     = "The peer had died before and its own failure is not in the logs: then the refused connection is the echo of that."
references  = ["https://github.com/NVIDIA/nccl/issues/1515", "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"]
*/
WITH failed AS (
  SELECT *, coalesce(peer, '') AS to_whom, coalesce(host, '') AS from_whom,
         count(DISTINCT coalesce(host, '')) OVER (PARTITION BY peer) AS hosts_of_peer,
         count(DISTINCT coalesce(peer, '')) OVER (PARTITION BY host) AS peers_of_host
  FROM connect_failure
), grouped AS (
  SELECT CASE WHEN peers_of_host > hosts_of_peer THEN 'from ' || from_whom ELSE 'to ' || to_whom END AS one,
         list(DISTINCT peer ORDER BY peer) FILTER (peer IS NOT NULL) AS peers, list(DISTINCT host ORDER BY host) FILTER (host IS NOT NULL) AS hosts,
         list(DISTINCT rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks,
         list(DISTINCT gpu_index::VARCHAR ORDER BY gpu_index::VARCHAR) FILTER (gpu_index IS NOT NULL) AS gpus,
         arg_min(port, line_no) AS port, mode(error) AS error, max(attempts) AS attempts, max(timeout_ms) AS timeout_ms,
         list(DISTINCT pid ORDER BY pid) FILTER (pid IS NOT NULL) AS pids, min(time) AS at, max(time) AS until, count(*) AS times, CASE WHEN bool_or(source = 'strace') THEN 'connect' END AS syscall, list(line_at(file_id, line_no) ORDER BY time NULLS LAST, file_id, line_no) AS evidence
  FROM failed GROUP BY one
)
SELECT format('{}{} cannot reach {}{}: {}{}',
              CASE WHEN len(hosts) = 1 THEN hosts[1] WHEN hosts IS NULL THEN 'A process' ELSE len(hosts) || ' hosts' END,
              CASE WHEN ranks IS NOT NULL THEN ' (rank ' || ranges(ranks) || ')' WHEN gpus IS NOT NULL THEN ' (GPU ' || array_to_string(gpus, ',') || ')' ELSE '' END,
              CASE WHEN len(peers) = 1 THEN coalesce(a.host || ' (' || peers[1] || ')', peers[1]) WHEN peers IS NULL THEN 'a peer that is not named' ELSE len(peers) || ' peers' END,
              CASE WHEN len(peers) = 1 AND port IS NOT NULL THEN ' port ' || port ELSE '' END, coalesce(error, 'no answer'),
              CASE WHEN error ILIKE '%software caused connection abort%' THEN ' (NCCL up to 2.23 prints this for a refused connection)' ELSE '' END) AS summary,
       evidence, "at", until, ranks, hosts, gpus,
       peers[1] AS peer, CASE WHEN len(peers) > 1 THEN peers END AS peers, a.host AS peer_host, port, error, attempts, timeout_ms, times, pids, syscall
FROM grouped LEFT JOIN address_host a ON a.address = peers[1]
