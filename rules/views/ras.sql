-- Ranks in RAS's JSON, one row per rank and kind of operation. Pretty-printed reports are put together from their lines: a rank's
-- values follow its "rank", a communicator's its "hash". Reports on one line are parsed whole.
CREATE TABLE ras_rank AS
WITH lines AS (
  SELECT *, name IN ('ranks', 'missing_ranks') AS begins_list FROM nccl_ras_json WHERE name <> 'document'
), placed AS (
  SELECT *, last_value(CASE WHEN name = 'hash' THEN value END IGNORE NULLS) OVER so_far AS comm_hash,
         last_value(CASE WHEN name = 'hash' THEN line_no END IGNORE NULLS) OVER so_far AS hash_line,
         last_value(CASE WHEN name = 'rank' OR name IN ('ranks', 'missing_ranks', 'status', 'collective_counts') AND value = '' THEN name END IGNORE NULLS) OVER so_far AS part,
         last_value(CASE WHEN begins_list AND value = '' THEN name END IGNORE NULLS) OVER so_far AS list_name,
         last_value(CASE WHEN name = 'rank' THEN line_no END IGNORE NULLS) OVER so_far AS rank_line,
         last_value(CASE WHEN name = 'size' THEN value END IGNORE NULLS) OVER so_far AS size
  FROM lines WINDOW so_far AS (PARTITION BY file_id ORDER BY line_no ROWS UNBOUNDED PRECEDING)
), pretty AS (
  SELECT file_id, hash_line, rank_line AS line_no, any_value(comm_hash) AS comm_hash, any_value(list_name) AS list_name, try_cast(any_value(size) AS BIGINT) AS nranks,
         max(try_cast(value AS BIGINT)) FILTER (name = 'rank') AS comm_rank, max(value) FILTER (name = 'host') AS address, max(try_cast(value AS BIGINT)) FILTER (name = 'pid') AS pid,
         max(try_cast(value AS BIGINT)) FILTER (name = 'cuda_dev') AS gpu_index, max(try_cast(value AS BIGINT)) FILTER (name = 'init_state') AS init_state,
         coalesce(max(value) FILTER (name = 'abort_flag') IN ('true', '1'), false) AS aborts, coalesce(bool_or(value IN ('true', '1')) FILTER (name IN ('finalize_called', 'destroy_flag')), false) AS ends,
         max(value) FILTER (name IN ('considered_dead', 'unresponsive')) IN ('true', '1') AS dead,
         map_from_entries(list((name, try_cast(value AS BIGINT))) FILTER (part = 'collective_counts' AND value <> '')) AS counts
  FROM placed WHERE rank_line IS NOT NULL AND rank_line >= hash_line AND list_name IS NOT NULL GROUP BY file_id, hash_line, rank_line
), whole AS (
  SELECT file_id, line_no, c.value AS comm FROM nccl_ras_json d, json_each(CASE WHEN json_valid(d.value) THEN json_extract(d.value::JSON, '$.communicators') END) c WHERE d.name = 'document'
), compact AS (
  SELECT file_id, line_no AS hash_line, line_no, comm->>'hash' AS comm_hash, list_name, try_cast(comm->>'size' AS BIGINT) AS nranks,
         try_cast(r.value->>'rank' AS BIGINT) AS comm_rank, r.value->>'host' AS address, try_cast(r.value->>'pid' AS BIGINT) AS pid, try_cast(r.value->>'cuda_dev' AS BIGINT) AS gpu_index,
         try_cast(r.value->'status'->>'init_state' AS BIGINT) AS init_state,
         coalesce(r.value->'status'->>'abort_flag', '') IN ('true', '1') AS aborts, coalesce(r.value->'status'->>'finalize_called', r.value->'status'->>'destroy_flag', '') IN ('true', '1') AS ends, coalesce(r.value->'status'->>'considered_dead', r.value->'status'->>'unresponsive') IN ('true', '1') AS dead,
         try_cast(json_extract(r.value, '$.collective_counts') AS MAP(VARCHAR, BIGINT)) AS counts
  FROM whole, (VALUES ('ranks'), ('missing_ranks')) l(list_name), json_each(json_extract(comm, '$.' || list_name)) r
)
SELECT file_id, line_no, hash_line, replace(comm_hash, '0x', '') AS comm_hash, list_name = 'missing_ranks' AS missing, coalesce(dead, false) AS dead, nranks, comm_rank, address, pid, gpu_index, init_state,
  CASE WHEN aborts THEN 'ABORT' WHEN ends THEN 'FINALIZE' WHEN init_state = 0 THEN 'RUNNING' WHEN init_state IS NOT NULL THEN 'INIT' END AS ras_status, counts
FROM (SELECT * FROM pretty UNION ALL BY NAME SELECT * FROM compact);

COMMENT ON TABLE ras_rank IS 'ranks of communicators in a RAS report in JSON: where they run, init state (0 done, 7 in progress), operations counted by kind, whether they answer';

-- What RAS says of operation counts, one row per snapshot, communicator and kind of operation. RAS names the ranks of small
-- groups only: they may be the ones ahead. The same numbers in two snapshots mean that nothing moves.
CREATE TABLE ras_count AS
WITH ras_launched AS (
  SELECT file_id, line_no, hash_line, comm_hash, comm_rank, address, pid, unnest(map_keys(counts)) AS op, unnest(map_values(counts)) AS launched FROM ras_rank WHERE NOT missing
), counts AS (
  SELECT file_id, counts_line, comm_hash, op, max(time) AS time, max(launched) AS count_ahead, min(launched) AS count_behind, sum(affected)::BIGINT AS nranks,
         sum(affected) FILTER (launched = top) AS n_ahead, sum(affected) FILTER (launched = low) AS n_behind,
         list(line_at(file_id, line_no) ORDER BY line_no)[:10] AS evidence
  FROM (
    SELECT *, max(launched) OVER one AS top, min(launched) OVER one AS low FROM (
      SELECT file_id, counts_line, comm_hash, op, time, affected, launched, line_no FROM nccl_ras_count
      UNION ALL SELECT file_id, counts_line, comm_hash, op, time, 1, launched, line_no FROM nccl_ras_rank WHERE launched_line IS NULL
      UNION ALL SELECT file_id, hash_line, comm_hash, op, NULL, 1, launched, line_no FROM ras_launched)
    WINDOW one AS (PARTITION BY file_id, counts_line, op))
  GROUP BY file_id, counts_line, comm_hash, op
), named AS (
  SELECT n.file_id, n.counts_line, c.op, list(comm_rank ORDER BY comm_rank) FILTER (launched = count_ahead) AS ranks_ahead,
         list(comm_rank ORDER BY comm_rank) FILTER (launched = count_behind) AS ranks_behind,
         list(DISTINCT address ORDER BY address) FILTER (launched = count_behind) AS hosts_behind,
         list(DISTINCT n.pid ORDER BY n.pid) FILTER (launched = count_behind) AS pids_behind,
         list(line_at(n.file_id, n.line_no) ORDER BY n.line_no) AS named_lines
  FROM (SELECT file_id, counts_line, comm_hash, op, comm_rank, launched, address, pid, line_no FROM nccl_ras_rank
        UNION ALL SELECT file_id, hash_line, comm_hash, op, comm_rank, launched, address, pid, line_no FROM ras_launched) n
  JOIN counts c ON c.file_id = n.file_id AND c.counts_line = n.counts_line AND c.op IS NOT DISTINCT FROM n.op GROUP BY ALL
)
SELECT c.*, n.ranks_ahead, n.ranks_behind, n.hosts_behind, n.pids_behind, c.evidence || coalesce(n.named_lines, []) AS lines,
       count(*) OVER (PARTITION BY c.comm_hash, c.op, c.count_ahead, c.count_behind, c.n_behind) > 1 AS stalled,
       row_number() OVER (PARTITION BY c.comm_hash, c.op ORDER BY c.time DESC NULLS LAST, c.file_id DESC, c.counts_line DESC) = 1 AS latest
FROM counts c LEFT JOIN named n ON n.file_id = c.file_id AND n.counts_line = c.counts_line AND n.op IS NOT DISTINCT FROM c.op
WHERE c.count_ahead > c.count_behind;

COMMENT ON TABLE ras_count IS 'operation counts RAS found to differ, by snapshot, communicator and kind of operation; stalled = two snapshots with the same numbers';

-- Communicators whose ranks are in different states, one row per snapshot, communicator and state. In a single snapshot that is a moment
-- of a start or an end; the same numbers in two snapshots mean that nothing moves.
CREATE TABLE ras_state AS
WITH said AS (
  SELECT file_id, line_no, counts_line, comm_hash, ras_status, affected AS n, comm_rank, pid, address, time
  FROM nccl_ras_status
  UNION ALL BY NAME SELECT file_id, line_no, hash_line AS counts_line, comm_hash, ras_status, 1 AS n, comm_rank, pid, address FROM ras_rank WHERE NOT missing AND ras_status IS NOT NULL
), split AS (
  SELECT file_id, counts_line, comm_hash, ras_status, CASE WHEN bool_or(comm_rank IS NULL) THEN max(n) FILTER (comm_rank IS NULL) ELSE count(*) END AS n,
         list(comm_rank ORDER BY comm_rank) FILTER (comm_rank IS NOT NULL) AS ranks, list(DISTINCT address ORDER BY address) FILTER (address IS NOT NULL) AS hosts,
         list(DISTINCT pid ORDER BY pid) FILTER (pid IS NOT NULL) AS pids, max(time) AS time, list(line_at(file_id, line_no) ORDER BY line_no)[:10] AS evidence
  FROM said GROUP BY ALL
)
SELECT *, sum(n) OVER one AS nranks, count(*) OVER one AS states, count(*) OVER (PARTITION BY comm_hash, ras_status, n) > 1 AS stalled,
       row_number() OVER (PARTITION BY comm_hash, ras_status ORDER BY time DESC NULLS LAST, file_id DESC, counts_line DESC) = 1 AS latest
FROM split WINDOW one AS (PARTITION BY file_id, counts_line, comm_hash);

COMMENT ON TABLE ras_state IS 'states RAS gives the ranks of a communicator, with the ranks it names; stalled = two snapshots with the same numbers';
