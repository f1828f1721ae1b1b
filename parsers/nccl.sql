-- Who is who in NCCL's output. Its lines carry no rank: the lines of communicator init tie (host, pid, address) to a
-- communicator and a rank in it; everything else is joined over these three.

-- One row per communicator and rank that is seen in the logs. comm_key is the same on all ranks of a communicator: the
-- commId; for a split the parent's key with number and color of the split; before 2.16 only the size tells them apart.
CREATE TABLE nccl_rank AS
WITH RECURSIVE lines AS (
  SELECT coalesce(host, '') AS host, coalesce(pid, 0) AS pid, comm, file_id, line_no, time, rank, comm_rank, nranks,
         cuda_device, gpu_index, bus_id, comm_id, nullif(parent_comm, '(nil)') AS parent_comm, split_count, split_color, event
  FROM nccl_comm
  UNION ALL
  SELECT coalesce(host, ''), coalesce(pid, 0), comm, file_id, line_no, time, rank, comm_rank, nranks,
         NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'topology'
  FROM nccl_topology
), one AS (
  SELECT host, pid, comm, comm_rank, max(nranks) AS nranks, max(comm_id) AS comm_id, max(parent_comm) AS parent_comm,
         max(split_count) AS split_count, max(split_color) AS split_color,
         max(cuda_device) AS cuda_device, max(gpu_index) AS gpu_index, max(bus_id) AS bus_id, max(rank) AS wrapper_rank,
         count(*) FILTER (event = 'Init START') AS starts, count(*) FILTER (event IN ('Init COMPLETE', 'cut')) AS completes, -- a broken record may be the longer of the two
         count(*) FILTER (regexp_matches(event, '^(Destroy|Abort|Revoke|Finalize) ')) AS ends,
         bool_or(event LIKE 'Abort %') AS aborted,
         min(time) FILTER (event = 'Init START') AS started_at, min(time) FILTER (event = 'Init COMPLETE') AS completed_at,
         arg_min(file_id, line_no) AS file_id, min(line_no) AS line_no,
         arg_min(line_at(file_id, line_no), line_no) FILTER (event = 'Init START') AS start_line
  FROM lines GROUP BY host, pid, comm, comm_rank
), keyed(host, pid, comm, comm_key, depth) AS (
  SELECT host, pid, comm, coalesce(comm_id, 'size ' || nranks), 0 FROM one WHERE comm_id IS NOT NULL OR parent_comm IS NULL
  UNION ALL
  SELECT o.host, o.pid, o.comm, k.comm_key || '/' || coalesce(o.split_count, 0) || ':' || o.split_color, k.depth + 1
  FROM one o JOIN keyed k ON k.host = o.host AND k.pid = o.pid AND k.comm = o.parent_comm
  WHERE o.comm_id IS NULL AND k.depth < 4
)
SELECT o.host, o.pid, o.comm, coalesce(k.comm_key, 'split ' || o.nranks) AS comm_key, o.comm_rank, o.nranks, o.cuda_device,
       coalesce(o.gpu_index, o.cuda_device) AS gpu_index, o.bus_id, o.wrapper_rank, o.starts, o.completes, o.ends, o.aborted,
       o.started_at, o.completed_at, o.start_line, o.file_id, o.line_no,
       -- two processes with one rank: the key does not tell communicators apart (old versions, several jobs in one log)
       count(DISTINCT (o.host, o.pid)) OVER (PARTITION BY k.comm_key, o.comm_rank) > 1 AS ambiguous
FROM one o LEFT JOIN (SELECT host, pid, comm, min(comm_key) AS comm_key FROM keyed GROUP BY ALL) k
  ON k.host = o.host AND k.pid = o.pid AND k.comm = o.comm;

COMMENT ON TABLE nccl_rank IS 'one row per rank of a communicator as logged: (host, pid, comm) -> (comm_key, comm_rank), its GPU, and how many of its inits started and completed; nccl_global_rank gives the rank in the job';

-- Rank in the job of a process and GPU: its rank in the largest communicator. Several of that size tell it where they have
-- the same ranks on the same GPUs (a second group over all ranks, a job that was started again), not where they are parts of a larger job.
CREATE TABLE nccl_global_rank AS
WITH largest AS (
  SELECT comm_key, nranks FROM nccl_rank
  WHERE nranks = (SELECT max(nranks) FROM nccl_rank)
  GROUP BY comm_key, nranks HAVING NOT bool_or(ambiguous)
), member AS (
  SELECT DISTINCT r.host, r.gpu_index, r.bus_id, r.comm_rank FROM nccl_rank r JOIN largest USING (comm_key)
), world AS (
  SELECT * FROM largest
  WHERE (SELECT count(*) FROM largest) = 1
     OR (SELECT count(*) = count(DISTINCT comm_rank) AND count(*) = count(DISTINCT (host, gpu_index, bus_id)) FROM member)
)
SELECT r.host, r.pid, r.cuda_device, r.gpu_index, r.bus_id, min(r.comm_rank) AS rank, any_value(w.nranks) AS world_size,
       arg_min(r.file_id, r.line_no) AS file_id, min(r.line_no) AS line_no
FROM nccl_rank r JOIN world w USING (comm_key) GROUP BY ALL;

COMMENT ON TABLE nccl_global_rank IS 'rank in the job by host, process and GPU, taken from the largest communicator; empty where several contradict each other';

-- What is known of a process that writes: its rank and GPU. The device in NCCL's prefix counts only where nothing better is known.
CREATE TABLE nccl_process AS
WITH known AS (
  SELECT host, pid, list(DISTINCT rank) AS ranks, list(DISTINCT gpu_index) AS gpus FROM nccl_global_rank GROUP BY ALL
), init AS (
  SELECT host, pid, list(DISTINCT gpu_index) FILTER (gpu_index IS NOT NULL) AS gpus, max(wrapper_rank) AS rank FROM nccl_rank GROUP BY ALL
), hints AS (
  SELECT host, pid, list(DISTINCT device_hint) AS gpus, max(rank) AS rank FROM (
    SELECT host, pid, device_hint, rank FROM nccl_result
    UNION ALL SELECT host, pid, device_hint, rank FROM nccl_socket
    UNION ALL SELECT host, pid, device_hint, rank FROM nccl_ib_error
    UNION ALL SELECT host, pid, device_hint, rank FROM nccl_ofi_error
    UNION ALL SELECT host, pid, device_hint, rank FROM nccl_cuda_failure
    UNION ALL SELECT host, pid, device_hint, rank FROM nccl_shm_failure
    UNION ALL SELECT host, pid, device_hint, rank FROM nccl_warning)
  WHERE device_hint >= 0 GROUP BY ALL
)
SELECT host, pid, coalesce(CASE WHEN len(k.ranks) = 1 THEN k.ranks[1] END, i.rank, h.rank) AS rank,
       CASE WHEN len(k.gpus) = 1 THEN k.gpus[1] WHEN len(i.gpus) = 1 THEN i.gpus[1]
            WHEN i.gpus IS NULL AND len(h.gpus) = 1 THEN h.gpus[1] END AS gpu_index
FROM (SELECT DISTINCT host, pid FROM (SELECT host, pid FROM known UNION ALL SELECT host, pid FROM init UNION ALL SELECT host, pid FROM hints))
LEFT JOIN known k USING (host, pid) LEFT JOIN init i USING (host, pid) LEFT JOIN hints h USING (host, pid);

COMMENT ON TABLE nccl_process IS 'rank and GPU of a process (host, pid), as far as NCCL output tells';

-- The communicators: who is in them, how far their init came, how they ended.
CREATE TABLE communicator AS
WITH nodes AS (SELECT n.host, n.pid, n.comm, max(n.nnodes) AS nnodes FROM nccl_topology n GROUP BY ALL)
SELECT r.comm_key, max(r.nranks) AS nranks, max(n.nnodes) AS nnodes, bool_or(r.ambiguous) AS ambiguous,
       list(DISTINCT r.comm_rank ORDER BY r.comm_rank) AS ranks, list(DISTINCT r.host ORDER BY r.host) AS hosts,
       list(DISTINCT r.comm_rank ORDER BY r.comm_rank) FILTER (r.starts > r.completes) AS incomplete,
       list(DISTINCT r.comm_rank ORDER BY r.comm_rank) FILTER (r.completes > 0) AS completed,
       list(DISTINCT r.comm_rank ORDER BY r.comm_rank) FILTER (r.ends > 0) AS ended,
       min(r.started_at) AS started_at, arg_min(r.file_id, r.line_no) AS file_id, min(r.line_no) AS line_no
FROM nccl_rank r LEFT JOIN nodes n ON n.host = r.host AND n.pid = r.pid AND n.comm = r.comm
GROUP BY r.comm_key;

COMMENT ON TABLE communicator IS 'one row per NCCL communicator: size, nodes, ranks seen in the logs, and which of them started, completed and ended it';

-- The transports a process uses, counted over channels. kind: P2P | SHM | NET | COLLNET.
CREATE VIEW transport AS
SELECT host, pid, kind, network, gdr, nccl_process.rank, nccl_process.gpu_index, edges, src_dst, via, file_id, line_no
FROM (
  SELECT coalesce(host, '') AS host, coalesce(pid, 0) AS pid,
         CASE WHEN via LIKE 'P2P%' THEN 'P2P' WHEN via LIKE 'SHM%' OR via LIKE '%shared memory%' THEN 'SHM'
              WHEN via LIKE 'NET/%' THEN 'NET' WHEN via LIKE 'COLLNET%' THEN 'COLLNET' ELSE via END AS kind,
         regexp_extract(via, '^(?:NET|COLLNET)/([^/]+)/', 1) AS network, via LIKE '%GDRDMA%' AS gdr,
         count(*) AS edges, list(DISTINCT (src_rank, dst_rank)) AS src_dst, min(via) AS via,
         arg_min(file_id, line_no) AS file_id, min(line_no) AS line_no
  FROM nccl_channel GROUP BY 1, 2, 3, 4, 5
) LEFT JOIN nccl_process USING (host, pid);

COMMENT ON VIEW transport IS 'edges of channels by process and transport: P2P, SHM or NET with the network used and whether GPUs are read directly (gdr)';

-- Calls counted per communicator and rank. Lines are counted, never opCount: that is shared within a group and stands
-- still on one node. A progress bar may be glued to the host's name, so the name must only end alike.
CREATE TABLE nccl_call_count AS
WITH counted AS (
  SELECT file_id, coalesce(host, '') AS host, coalesce(pid, 0) AS pid, comm, max(nranks) AS nranks, max(rank) AS rank,
         count(*) FILTER (op NOT IN ('Send', 'Recv')) AS calls, count(*) AS all_calls,
         max(line_no) AS last_line, arg_max(op, line_no) AS last_op, max(time) AS last_time
  FROM nccl_call GROUP BY ALL
)
SELECT r.comm_key, r.comm_rank, r.nranks, r.host, r.pid, r.comm, r.gpu_index, r.ambiguous, r.ends > 0 AS ended,
       sum(c.calls)::BIGINT AS calls, sum(c.all_calls)::BIGINT AS all_calls, arg_max(c.last_op, c.last_line) AS last_op,
       max(c.last_time) AS last_time, arg_max(c.file_id, c.last_line) AS file_id, max(c.last_line) AS line_no
FROM counted c JOIN nccl_rank r ON r.pid = c.pid AND r.comm = c.comm AND (r.host = c.host OR ends_with(c.host, r.host))
WHERE r.starts + r.completes > 0   -- else the log begins later than the communicator
GROUP BY ALL;

COMMENT ON TABLE nccl_call_count IS 'how many collective calls each rank of a communicator logged (NCCL_DEBUG_SUBSYS=COLL), and the last of them';

-- Sends and receives counted per pair of ranks of a communicator, where the calls of both are logged from its beginning.
CREATE VIEW nccl_pair_count AS
WITH one AS (
  SELECT r.comm_key, CASE c.op WHEN 'Send' THEN r.comm_rank ELSE c.root END AS src, CASE c.op WHEN 'Send' THEN c.root ELSE r.comm_rank END AS dst, c.op, c.file_id, c.line_no
  FROM nccl_call c JOIN nccl_rank r ON r.pid = coalesce(c.pid, 0) AND r.comm = c.comm AND (r.host = coalesce(c.host, '') OR ends_with(coalesce(c.host, ''), r.host))
  WHERE c.op IN ('Send', 'Recv') AND r.starts + r.completes > 0 AND NOT r.ambiguous)
SELECT comm_key, src, dst, count(*) FILTER (op = 'Send') AS sends, count(*) FILTER (op = 'Recv') AS recvs,
       arg_max(line_at(file_id, line_no), line_no) FILTER (op = 'Send') AS last_send, arg_max(line_at(file_id, line_no), line_no) FILTER (op = 'Recv') AS last_recv,
       arg_max(file_id, line_no) AS file_id, max(line_no) AS line_no
FROM one GROUP BY ALL;

COMMENT ON VIEW nccl_pair_count IS 'sends and receives between two ranks of a communicator, counted from NCCL_DEBUG_SUBSYS=COLL lines';

-- The calls themselves, decoded; seq counts the collectives of a rank within its communicator from 1.
CREATE VIEW collective_call AS
SELECT r.comm_key, r.comm_rank, r.nranks, c.op, c.elements, coalesce(d.datatype_name, c.datatype::VARCHAR) AS datatype,
       CASE WHEN c.op IN ('AllReduce', 'Reduce', 'ReduceScatter') THEN coalesce(o.redop_name, 'user') END AS redop, c.root, c.op_count,
       c.elements * d.bytes AS bytes, row_number() OVER (PARTITION BY r.host, r.pid, r.comm ORDER BY c.file_id, c.line_no) AS seq,
       r.host, r.pid, r.gpu_index, c.time, c.file_id, c.line_no
FROM nccl_call c
JOIN nccl_rank r ON r.pid = coalesce(c.pid, 0) AND r.comm = c.comm AND (r.host = coalesce(c.host, '') OR ends_with(coalesce(c.host, ''), r.host))
LEFT JOIN nccl_datatype d USING (datatype) LEFT JOIN nccl_redop o USING (redop)
WHERE c.op NOT IN ('Send', 'Recv', 'PutSignal', 'Signal', 'WaitSignal') AND r.starts + r.completes > 0;

COMMENT ON VIEW collective_call IS 'collective calls with their communicator, rank and decoded data type and operation; seq counts from 1 per rank and communicator';

-- Rows of identity, from init lines. cudaDev counts the devices that the process sees, nvmlDev (2.18 and later) those of the host.
CREATE VIEW nccl_identity AS
SELECT g.file_id, g.line_no, g.host, nullif(g.pid, 0) AS pid, g.rank, g.world_size, g.cuda_device, n.gpu_index, g.bus_id AS gpu, 'nccl init' AS learnt_from
FROM nccl_global_rank g LEFT JOIN (
  SELECT coalesce(host, '') AS host, coalesce(pid, 0) AS pid, bus_id, max(gpu_index) AS gpu_index FROM nccl_comm WHERE gpu_index IS NOT NULL GROUP BY ALL) n USING (host, pid, bus_id);

COMMENT ON VIEW nccl_identity IS 'what NCCL init says of rank, host, process and GPU, in the shape of identity';

-- Connections that could not be made. Warnings that name nobody ("exceeded retries") count only where none names a peer;
-- retries count where there were many and the process never got through its init.
CREATE VIEW connect_failure_nccl AS
WITH failed AS (
  SELECT peer, port, error, attempts, host, rank, pid, device_hint, time, file_id, line_no FROM nccl_socket s
  WHERE s.event = 'connect_failed'
    AND (s.peer IS NOT NULL OR NOT EXISTS (FROM nccl_socket o WHERE o.event = 'connect_failed' AND o.peer IS NOT NULL))
  UNION ALL BY NAME
  -- an open connection that falls silent: the path is gone, not the process
  SELECT peer, port, error, attempts, host, rank, pid, device_hint, time, file_id, line_no FROM nccl_socket
  WHERE event = 'io_failed' AND regexp_matches(error, 'timed out|No route to host|unreachable')
  UNION ALL BY NAME
  SELECT peer, port, error, greatest(max(attempts), count(*)) AS attempts, host, rank, pid, device_hint, max(time) AS time, file_id, max(line_no) AS line_no
  FROM nccl_socket s WHERE s.event = 'connect_retry'
    AND NOT EXISTS (FROM nccl_socket o WHERE o.event = 'connect_failed')
    AND NOT EXISTS (FROM nccl_comm c WHERE c.host = s.host AND c.pid = s.pid AND c.event = 'Init COMPLETE')
  GROUP BY ALL HAVING greatest(max(attempts), count(*)) >= 10
)
SELECT 'nccl' AS source, s.peer, s.port, s.error, s.attempts::BIGINT AS attempts, NULL::BIGINT AS timeout_ms, s.host, coalesce(s.rank, p.rank) AS rank, s.pid,
       coalesce(p.gpu_index, s.device_hint) AS gpu_index, s.time, s.file_id, s.line_no
FROM failed s LEFT JOIN nccl_process p ON p.host = s.host AND p.pid = s.pid;

COMMENT ON VIEW connect_failure_nccl IS 'connections NCCL gave up on, in the shape of connect_failure';

-- NCCL_VERSION_CODE as people write it: 22705 -> 2.27.5; up to 2.8 it was 1000 * major + 100 * minor + patch.
CREATE MACRO nccl_version_text(code) AS
  CASE WHEN code >= 10000 THEN (code // 10000) || '.' || ((code // 100) % 100) || '.' || (code % 100)
       ELSE (code // 1000) || '.' || ((code // 100) % 10) || '.' || (code % 100) END;

-- What NCCL cannot serve because the job was set up that way: one row per rank named, in the shape of crash.config's sources.
CREATE VIEW config_error_nccl AS
SELECT 'arguments' AS what,
       CASE event WHEN 'duplicate_gpu' THEN format('Ranks {} and {} run on one GPU (bus id {}): each rank needs its own, set the device from LOCAL_RANK', least(rank_a, rank_b), greatest(rank_a, rank_b), bus_id)
                  WHEN 'shared_gpu' THEN 'Several ranks run on one GPU: each rank needs its own, set the device from LOCAL_RANK'
                  ELSE format('Rank {} does not exist in a communicator of {}', rank_a, nranks) END AS message,
       CASE event WHEN 'shared_gpu' THEN rank ELSE unnest(list_distinct([rank_a, coalesce(rank_b, rank_a)])) END AS rank, host, pid, time, file_id, line_no, 'definite' AS grade
FROM nccl_usage WHERE event IN ('duplicate_gpu', 'shared_gpu', 'invalid_rank')
UNION ALL BY NAME
SELECT 'arguments' AS what, 'NCCL found no network interface to use: ' || error || ' (NCCL_SOCKET_IFNAME)' AS message, rank, host, pid, time, file_id, line_no, 'definite' AS grade
FROM nccl_socket WHERE event = 'no_interface';

COMMENT ON VIEW config_error_nccl IS 'ranks on one GPU, ranks that do not exist, interfaces that do not exist';

-- Ranks entering and finishing communicator init.
CREATE VIEW nccl_init AS
SELECT file_id, line_no, time, host, pid, rank, regexp_replace(event, '^Init ', '') AS phase, call, comm, comm_id, comm_rank, nranks, cuda_device, gpu_index, bus_id
FROM nccl_comm WHERE event LIKE 'Init %';

COMMENT ON VIEW nccl_init IS 'communicator init per rank: START and COMPLETE';
