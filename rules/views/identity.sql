-- Who is who: rank, host, GPU, process and address, learnt from whatever lines say it.

-- A GPU's PCI address as dddd:bb:dd, also from the hex number that NCCL prints (4b000).
CREATE MACRO gpu_address(said) AS
  CASE WHEN contains(said, ':') THEN pci_address(said)
       WHEN regexp_matches(said, '^(?:0x)?[0-9a-fA-F]{3,9}$') THEN
         printf('%04x:%02x:%02x', ('0x' || replace(said, '0x', ''))::BIGINT >> 20,
                (('0x' || replace(said, '0x', ''))::BIGINT >> 12) & 255, (('0x' || replace(said, '0x', ''))::BIGINT >> 4) & 255) END;

-- Every link that a line makes between names, with where it stands and how far it can be trusted (weight, 3 best).
CREATE TABLE identity_link AS
-- Ray's trainer tells of all its workers: its own host is not theirs.
SELECT rank, CASE WHEN learnt_from <> 'ray train' THEN host END AS host, local_rank, task, pid, gpu_index, gpu_address(gpu) AS gpu, gpu_uuid, address, node_rank, world_size, learnt_from, 3 AS weight, file_id, line_no FROM identity
UNION ALL BY NAME
-- An agent gives its workers their ranks in the order of their local ranks.
SELECT unnest(from_json('[' || g.ranks || ']', '["BIGINT"]')) AS rank, unnest(from_json('[' || l.ranks || ']', '["BIGINT"]')) AS local_rank, g.host, 'ranks of an agent''s workers' AS learnt_from, 2 AS weight, g.file_id, g.line_no
FROM worker_ranks g JOIN worker_ranks l ON l.file_id = g.file_id AND l.stream IS NOT DISTINCT FROM g.stream AND g.line_no - l.line_no BETWEEN 1 AND 8 WHERE g.kind = 'global' AND l.kind = 'local'
UNION ALL BY NAME
-- Where as many local ranks tell of their devices as the job has ranks, it runs on one host, and they are the ranks.
SELECT local_rank AS rank, local_rank, host, 'local ranks of a job on one host' AS learnt_from, 1 AS weight, file_id, line_no FROM visible_devices
WHERE local_rank IS NOT NULL AND rank IS NULL AND (SELECT max(world_size) FROM identity) = (SELECT count(DISTINCT local_rank) FROM visible_devices)
UNION ALL BY NAME
-- A launcher's label before the lines of a process whose rank NCCL tells.
SELECT p.rank, c.local_rank, c.task, 'label before the lines of nccl init' AS learnt_from, 1 AS weight, c.file_id, min(c.line_no) AS line_no
FROM nccl_comm c JOIN nccl_process p ON p.host = coalesce(c.host, '') AND p.pid = coalesce(c.pid, 0) WHERE p.rank IS NOT NULL AND coalesce(c.task, c.local_rank) IS NOT NULL GROUP BY ALL
UNION ALL BY NAME
SELECT rank, host, pid, cuda_device, gpu_index, gpu_address(gpu) AS gpu, world_size, learnt_from, 3 AS weight, file_id, line_no FROM nccl_identity
UNION ALL BY NAME
SELECT host, gpu_index, gpu_address(gpu) AS gpu, gpu_uuid, 'nvidia-smi' AS learnt_from, 3 AS weight, file_id, line_no FROM smi_gpu
UNION ALL BY NAME
-- What ended is told by the host's own agent.
SELECT rank, host, local_rank, pid, 'end of a process, told by ' || said_by AS learnt_from, 2 AS weight, file_id, line_no FROM "exit" WHERE rank IS NOT NULL AND pid IS NOT NULL
UNION ALL BY NAME
-- A rank tells of the death of its own worker process.
SELECT rank, host, regexp_extract(message, 'DataLoader worker \(pid ([0-9]+)\)', 1)::BIGINT AS pid, 'worker of a rank, told by its exception' AS learnt_from, 0 AS weight, file_id, line_no
FROM exception WHERE rank IS NOT NULL AND regexp_matches(message, 'DataLoader worker \(pid [0-9]+\)')
UNION ALL BY NAME
-- Some programs put both before every line.
SELECT rank, host, pid, 'rank and pid before a line' AS learnt_from, 1 AS weight, file_id, min(line_no) AS line_no FROM oom_message WHERE rank IS NOT NULL AND pid IS NOT NULL GROUP BY ALL
UNION ALL BY NAME
SELECT rank, host, 'name of the file' AS learnt_from, 1 AS weight, file_id, 1 AS line_no FROM file WHERE rank IS NOT NULL AND host IS NOT NULL;

-- One row per rank: its host, process and GPU, by the best and most frequent link. Where two are as good (a restart), neither is
-- taken; contradictions of hosts stand in identity_conflict. cuda_device is the number by which the program calls its GPU,
-- gpu_index the one that the host, nvidia-smi and the kernel give it: they differ where CUDA_VISIBLE_DEVICES is set.
CREATE TABLE rank AS
WITH best AS (
  SELECT rank, what, name, sum(weight) AS votes, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no
  FROM (SELECT rank, weight, file_id, line_no, short_host(host) AS host, local_rank::VARCHAR AS local_rank, pid::VARCHAR AS pid, cuda_device::VARCHAR AS cuda_device, gpu_index::VARCHAR AS gpu_index, gpu, gpu_uuid, address
        FROM identity_link WHERE rank IS NOT NULL)
  UNPIVOT (name FOR what IN (host, local_rank, pid, cuda_device, gpu_index, gpu, gpu_uuid, address))
  GROUP BY rank, what, name
  WINDOW one AS (PARTITION BY rank, what ORDER BY sum(weight) DESC, name) QUALIFY row_number() OVER one = 1 AND coalesce(votes > lead(votes) OVER one, true)
), said AS (
  SELECT rank, max(name) FILTER (what = 'host') AS host, max(name) FILTER (what = 'local_rank')::BIGINT AS local_rank,
         max(name) FILTER (what = 'pid')::BIGINT AS pid, max(name) FILTER (what = 'cuda_device')::BIGINT AS cuda_device, max(name) FILTER (what = 'gpu_index')::BIGINT AS gpu_index,
         max(name) FILTER (what = 'gpu') AS gpu, max(name) FILTER (what = 'gpu_uuid') AS gpu_uuid,
         max(name) FILTER (what = 'address') AS address, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no
  FROM best GROUP BY rank
), visible AS (   -- the nearest word on the devices a rank sees: its own, its local rank's, that of all
  SELECT s.rank, string_split(replace(v.devices, ' ', ''), ',') AS devices, CASE WHEN v.rank IS NOT NULL THEN 1 WHEN v.local_rank IS NOT NULL THEN 2 ELSE 3 END AS distance
  FROM said s JOIN visible_devices v ON (v.rank = s.rank) OR (v.rank IS NULL AND v.local_rank = s.local_rank AND coalesce(short_host(v.host) = s.host, true))
    OR (v.rank IS NULL AND v.local_rank IS NULL AND coalesce(short_host(v.host) = s.host, true))
), sees AS (
  SELECT rank, arg_min(devices, distance) AS devices FROM (SELECT *, min(distance) OVER (PARTITION BY rank) AS nearest FROM visible) WHERE distance = nearest
  GROUP BY rank HAVING count(DISTINCT devices) = 1
), own AS (
  SELECT s.*, CASE WHEN len(v.devices) = 1 THEN v.devices[1] ELSE v.devices[coalesce(cuda_device, local_rank) + 1] END AS device,
         -- one number for several GPUs of a host: each process sees its own only
         EXISTS (FROM visible_devices) OR count(DISTINCT gpu) OVER (PARTITION BY host, cuda_device) > 1 AS masked
  FROM said s LEFT JOIN sees v USING (rank)
), indexed AS (
  SELECT * EXCLUDE (device, masked) REPLACE (coalesce(gpu_index, try_cast(device AS BIGINT), CASE WHEN NOT masked THEN cuda_device END) AS gpu_index,
           coalesce(gpu_uuid, CASE WHEN device LIKE 'GPU-%' THEN device END) AS gpu_uuid)
  FROM own
), listed AS (
  SELECT short_host(host) AS host, gpu_index, min(gpu) AS gpu, min(gpu_uuid) AS gpu_uuid FROM identity_link WHERE learnt_from = 'nvidia-smi'
  GROUP BY ALL HAVING count(DISTINCT gpu) <= 1 AND count(DISTINCT gpu_uuid) <= 1
)
SELECT i.* REPLACE (coalesce(i.gpu_index, l.gpu_index) AS gpu_index, coalesce(i.gpu, l.gpu) AS gpu, coalesce(i.gpu_uuid, l.gpu_uuid) AS gpu_uuid)
FROM indexed i LEFT JOIN listed l ON l.host = i.host AND coalesce(i.gpu = l.gpu, i.gpu_index = l.gpu_index);

-- The parallel groups of each rank, as far as told: torch's process groups by name and description (1, tp), NCCL's communicators
-- by their key (communicator). `size` where a source tells how many ranks are in it.
CREATE VIEW rank_group AS
WITH said AS (
  SELECT of_rank AS rank, m.grp AS "group", m.grp_desc AS description, len(g.members) AS size, 'flight recorder' AS learnt_from, 4 AS weight, file_id, 1 AS line_no
  FROM flight_member m LEFT JOIN flight_members g USING (grp_key)
  UNION ALL BY NAME
  SELECT rank, grp AS "group", grp_desc AS description, 'process group status' AS learnt_from, 3 AS weight, file_id, line_no FROM c10d_status_line
  UNION ALL BY NAME
  SELECT rank, grp AS "group", grp_desc AS description, 'collective timeout' AS learnt_from, 2 AS weight, file_id, line_no FROM c10d_timeout_line
  UNION ALL BY NAME
  SELECT p.rank, comm_key AS "group", nranks AS size, 'nccl init' AS learnt_from, 1 AS weight, r.file_id, r.line_no
  FROM nccl_rank r JOIN nccl_process p USING (host, pid) WHERE NOT r.ambiguous)
SELECT rank, "group", max(nullif(description, '')) AS description, max(size) AS size, arg_max(learnt_from, weight) AS learnt_from,
       arg_max(file_id, weight) AS file_id, arg_max(line_no, weight) AS line_no
FROM said WHERE rank IS NOT NULL AND "group" <> '' GROUP BY rank, "group";

-- One row per GPU: the rank that ran on it where that can be told, by its address.
CREATE VIEW gpu AS
WITH said AS (
  SELECT short_host(host) AS host, gpu, gpu_uuid, gpu_index, rank, learnt_from, weight, file_id, line_no FROM identity_link WHERE gpu IS NOT NULL
  UNION ALL
  SELECT host, gpu, gpu_uuid, gpu_index, rank, 'visible devices', 0, file_id, line_no FROM rank WHERE gpu IS NOT NULL)
SELECT host, gpu, max(gpu_uuid) AS gpu_uuid, max(gpu_index) AS gpu_index, CASE WHEN count(DISTINCT rank) = 1 THEN max(rank) END AS rank,
       arg_max(learnt_from, weight) FILTER (rank IS NOT NULL) AS learnt_from, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no
FROM said GROUP BY host, gpu;

-- A GPU that failed and that no line ties to a rank: it is that of the one rank whose CUDA calls failed, where this rank runs on
-- the same host on a GPU that nobody told, or where the kernel calls the host by a name that no rank uses and the address is the same.
CREATE VIEW gpu_by_elimination AS
WITH fault AS (
  SELECT DISTINCT short_host(host) AS host, gpu FROM gpu_burst WHERE verdict = 'hardware' AND gpu IS NOT NULL AND host IS NOT NULL AND (short_host(host), gpu) NOT IN (SELECT (host, gpu) FROM gpu WHERE rank IS NOT NULL AND host IS NOT NULL)),
victim AS (SELECT DISTINCT e.rank, r.host, r.gpu FROM cuda_error e LEFT JOIN rank r USING (rank) WHERE e.rank IS NOT NULL AND e.kind NOT IN ('oom', 'capture'))
SELECT f.host, f.gpu, v.rank FROM fault f JOIN victim v
  ON (v.gpu IS NULL AND v.host = f.host) OR (v.gpu = f.gpu AND f.host NOT IN (SELECT host FROM rank WHERE host IS NOT NULL))
QUALIFY count(*) OVER (PARTITION BY f.host, f.gpu) = 1 AND count(*) OVER (PARTITION BY v.rank) = 1;

-- Hosts by their other names: the pods that run on a node, where one source tells it and no other contradicts.
CREATE VIEW host_alias AS
SELECT short_host(pod) AS alias, min(short_host(node)) AS host, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no
FROM pod_place WHERE pod IS NOT NULL AND node IS NOT NULL GROUP BY short_host(pod) HAVING count(DISTINCT short_host(node)) = 1;

-- One row per process, by its number inside of a container or on the host: its rank where one is told and no other. Definite where
-- a line says so; probable where the process is the only one on the GPU of a rank, as the driver and nvidia-smi see it.
CREATE VIEW process AS
WITH known AS (
  SELECT short_host(host) AS host, pid, rank, 'definite' AS confidence, learnt_from, weight, file_id, line_no FROM identity_link WHERE pid IS NOT NULL
), inside AS (   -- the host's number of a process whose number in its container is known
  SELECT coalesce(a.host, short_host(n.host)) AS host, n.pid, k.rank, 'definite' AS confidence, '/proc/PID/status' AS learnt_from, 3 AS weight, n.file_id, n.line_no
  FROM pid_namespace n LEFT JOIN host_alias a ON a.alias = short_host(n.host) JOIN known k ON k.pid = n.inner_pid AND k.rank IS NOT NULL
   AND (k.host = short_host(n.host) OR n.host IS NULL OR k.host IN (SELECT alias FROM host_alias h WHERE h.host = short_host(n.host)) OR short_host(n.host) NOT IN (SELECT host FROM known WHERE host IS NOT NULL))
  QUALIFY count(DISTINCT k.rank) OVER (PARTITION BY n.file_id, n.line_no) = 1
), on_gpu AS (
  SELECT p.host, p.pid, p.gpu, p.learnt_from, p.file_id, p.line_no FROM (
    SELECT short_host(p.host) AS host, p.pid, g.gpu, 'nvidia-smi' AS learnt_from, p.file_id, p.line_no FROM smi_process p JOIN identity_link g ON g.file_id = p.file_id AND g.gpu_index = p.gpu_index AND g.learnt_from = 'nvidia-smi' WHERE p.kind <> 'G'
    UNION ALL SELECT short_host(host), pid, gpu_address(gpu), 'Xid', file_id, line_no FROM xid_line WHERE pid > 0 AND gpu IS NOT NULL) p
  QUALIFY count(DISTINCT p.pid) OVER (PARTITION BY p.host, p.gpu, p.learnt_from) = 1
), every AS (
  FROM known UNION ALL FROM inside
  UNION ALL
  SELECT o.host, o.pid, g.rank, 'probable', 'process on the GPU of a rank, told by ' || o.learnt_from, 1, o.file_id, o.line_no
  FROM on_gpu o JOIN gpu g ON g.gpu = o.gpu AND g.rank IS NOT NULL AND (g.host = o.host OR g.host IN (SELECT alias FROM host_alias h WHERE h.host = o.host))
  WHERE NOT EXISTS (FROM known k WHERE k.pid = o.pid AND k.host IS NOT DISTINCT FROM o.host AND k.rank IS NOT NULL))
SELECT host, pid, CASE WHEN count(DISTINCT rank) = 1 THEN max(rank) END AS rank, arg_max(confidence, weight) AS confidence, arg_max(learnt_from, weight) AS learnt_from,
       min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no
FROM every GROUP BY host, pid;

-- One row per host: its names, addresses and ranks.
CREATE VIEW host AS
SELECT short_host(host) AS host, list(DISTINCT host ORDER BY host) AS names,
       list(DISTINCT address ORDER BY address) FILTER (address IS NOT NULL) AS addresses,
       list(DISTINCT rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no
FROM identity_link WHERE host IS NOT NULL GROUP BY short_host(host);

-- The host that an address is one of, where any line tells it and no other line another one.
CREATE VIEW address_host AS
SELECT address, min(short_host(host)) AS host, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no
FROM identity_link WHERE address IS NOT NULL AND host IS NOT NULL AND host <> address GROUP BY address HAVING count(DISTINCT short_host(host)) = 1;

-- Links that contradict each other: one rank with two hosts, processes or GPUs (a restart, or a label that is no rank), one GPU
-- or process with two ranks.
CREATE VIEW identity_conflict AS
WITH said AS (
  FROM (SELECT rank, short_host(host) AS host, short_host(host) || ' pid ' || pid AS process, short_host(host) || ' ' || gpu AS gpu, learnt_from, file_id, line_no
        FROM identity_link WHERE rank IS NOT NULL)
  UNPIVOT (name FOR what IN (host, process, gpu)))
SELECT 'rank ' || rank AS of_what, what, list(DISTINCT name ORDER BY name) AS names, list(DISTINCT learnt_from ORDER BY learnt_from) AS learnt_from,
       min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no
FROM said GROUP BY rank, what HAVING count(DISTINCT name) > 1
UNION ALL
SELECT what || ' ' || name, 'rank', list(DISTINCT rank::VARCHAR ORDER BY rank::VARCHAR), list(DISTINCT learnt_from ORDER BY learnt_from), min(file_id), arg_min(line_no, file_id)
FROM said WHERE what <> 'host' GROUP BY what, name HAVING count(DISTINCT rank) > 1;
