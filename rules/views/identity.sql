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
-- A launcher's label before the lines of a process whose rank NCCL tells.
SELECT p.rank, c.local_rank, c.task, 'label before the lines of nccl init' AS learnt_from, 1 AS weight, c.file_id, min(c.line_no) AS line_no
FROM nccl_comm c JOIN nccl_process p ON p.host = coalesce(c.host, '') AND p.pid = coalesce(c.pid, 0) WHERE p.rank IS NOT NULL AND coalesce(c.task, c.local_rank) IS NOT NULL GROUP BY ALL
UNION ALL BY NAME
SELECT rank, host, pid, gpu_index, gpu_address(gpu) AS gpu, world_size, learnt_from, 3 AS weight, file_id, line_no FROM nccl_identity
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
-- taken; contradictions of hosts stand in identity_conflict.
CREATE TABLE rank AS
WITH best AS (
  SELECT rank, what, name, sum(weight) AS votes, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no
  FROM (SELECT rank, weight, file_id, line_no, short_host(host) AS host, local_rank::VARCHAR AS local_rank, pid::VARCHAR AS pid, gpu_index::VARCHAR AS gpu_index, gpu, gpu_uuid, address
        FROM identity_link WHERE rank IS NOT NULL)
  UNPIVOT (name FOR what IN (host, local_rank, pid, gpu_index, gpu, gpu_uuid, address))
  GROUP BY rank, what, name
  WINDOW one AS (PARTITION BY rank, what ORDER BY sum(weight) DESC, name) QUALIFY row_number() OVER one = 1 AND coalesce(votes > lead(votes) OVER one, true)
)
SELECT rank, max(name) FILTER (what = 'host') AS host, max(name) FILTER (what = 'local_rank')::BIGINT AS local_rank,
       max(name) FILTER (what = 'pid')::BIGINT AS pid, max(name) FILTER (what = 'gpu_index')::BIGINT AS gpu_index,
       max(name) FILTER (what = 'gpu') AS gpu, max(name) FILTER (what = 'gpu_uuid') AS gpu_uuid,
       max(name) FILTER (what = 'address') AS address, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no
FROM best GROUP BY rank;

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

-- One row per GPU: the rank that ran on it where that can be told, by its address or UUID.
CREATE VIEW gpu AS
SELECT short_host(host) AS host, gpu, max(gpu_uuid) AS gpu_uuid, max(gpu_index) AS gpu_index,
       CASE WHEN count(DISTINCT rank) = 1 THEN max(rank) END AS rank, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no
FROM identity_link WHERE gpu IS NOT NULL GROUP BY ALL;

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

-- One row per process: its rank where one is told and no other.
CREATE VIEW process AS
SELECT short_host(host) AS host, pid, CASE WHEN count(DISTINCT rank) = 1 THEN max(rank) END AS rank, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no
FROM identity_link WHERE pid IS NOT NULL GROUP BY ALL;

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
