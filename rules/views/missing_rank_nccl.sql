-- Suspects for hang.missing_rank from NCCL's own output: ranks that stopped calling before the others, and ranks RAS sees behind
-- in two snapshots. Only where the job is known to have ended badly, or to stand still.
CREATE TABLE missing_rank_nccl AS
WITH hung AS (   -- a job that is killed at work stops its ranks at slightly different counts: only what is said of a hang counts
  FROM trouble_sign WHERE sign IN ('timeout', 'heartbeat', 'abort', 'exception')
), counted AS (
  SELECT *, min(calls) OVER one AS low, max(calls) OVER one AS high, count(*) OVER one AS seen FROM nccl_call_count
  WHERE NOT ambiguous WINDOW one AS (PARTITION BY comm_key)
), split AS (
  SELECT c.*, g.rank AS job_rank, calls = low AS behind
  FROM counted c LEFT JOIN nccl_global_rank g ON g.host = c.host AND g.pid = c.pid AND g.gpu_index IS NOT DISTINCT FROM c.gpu_index
  WHERE low < high AND EXISTS (FROM hung)
), next_op AS (   -- what the others called where the laggards did not
  SELECT c.comm_key, mode(c.op) AS waits_in FROM collective_call c
  JOIN (SELECT DISTINCT comm_key, low FROM split) s ON s.comm_key = c.comm_key AND c.seq = s.low + 1 GROUP BY c.comm_key
), coll AS (
  SELECT 'nccl calls' AS source, list(job_rank ORDER BY job_rank) FILTER (behind AND job_rank IS NOT NULL) AS ranks,
         list(DISTINCT host ORDER BY host) FILTER (behind) AS hosts, list(DISTINCT pid ORDER BY pid) FILTER (behind) AS pids,
         comm_key AS grp, max(low) + 1 AS seq, coalesce(any_value(waits_in), arg_max(last_op, calls)) AS op, 'host' AS side,
         CASE WHEN max(low) = 0 THEN 'init' ELSE 'outside' END AS place,
         CASE WHEN max(seen) = max(nranks) AND EXISTS (FROM hung WHERE sign IN ('timeout', 'heartbeat', 'abort')) THEN 'probable' ELSE 'possible' END AS grade,
         min(last_time) FILTER (behind) AS at,
         format('rank(s) {} of the communicator logged {} collective calls, the others up to {}', ranges(list(comm_rank) FILTER (behind)), max(low), max(high)) AS said,
         list(line_at(file_id, line_no) ORDER BY behind DESC, comm_rank)[:20] AS evidence
  FROM split LEFT JOIN next_op USING (comm_key) GROUP BY comm_key
  -- a minority that lags is suspect; a majority that lags waits for something else
  HAVING count(*) FILTER (behind) * 2 < count(*) AND NOT bool_or(ended)
)
SELECT source, ranks::BIGINT[] AS ranks, hosts, pids, grp, seq, op, side, place, grade, "at", said, evidence FROM coll
UNION ALL BY NAME
SELECT 'ras' AS source, ranks_behind::BIGINT[] AS ranks, hosts_behind AS hosts, pids_behind AS pids, comm_hash AS grp, count_behind + 1 AS seq, op,
       NULL::VARCHAR AS side, NULL::VARCHAR AS place, 'probable' AS grade, time AS at,
       format('RAS: rank(s) {} stand at {} operation {} in two snapshots, the others at {}', ranges(ranks_behind), coalesce(op, 'collective'), count_behind, count_ahead) AS said, lines AS evidence
FROM ras_count WHERE latest AND stalled AND len(ranks_behind) = n_behind AND n_behind * 2 < nranks
UNION ALL BY NAME
SELECT 'ras' AS source, r.ranks::BIGINT[] AS ranks, r.hosts, r.pids, r.comm_hash AS grp, 'finalize' AS op, 'host' AS side, 'outside' AS place, 'possible' AS grade, r.time AS at,
       format('RAS: the communicator is being ended by the others, rank(s) {} have not called for it in two snapshots', ranges(r.ranks)) AS said, r.evidence
FROM ras_state r WHERE r.ras_status = 'RUNNING' AND r.latest AND r.stalled AND r.n * 4 <= r.nranks AND len(r.ranks) = r.n
  AND EXISTS (FROM ras_state f WHERE f.file_id = r.file_id AND f.counts_line = r.counts_line AND f.comm_hash = r.comm_hash AND f.ras_status = 'FINALIZE' AND f.n * 2 > f.nranks)
UNION ALL BY NAME
SELECT 'ras dead' AS source, NULL::BIGINT[] AS ranks, list(DISTINCT address ORDER BY address) AS hosts, list(DISTINCT pid ORDER BY pid) AS pids, NULL::VARCHAR AS grp,
       NULL::BIGINT AS seq, NULL::VARCHAR AS op, NULL::VARCHAR AS side, NULL::VARCHAR AS place, 'probable' AS grade, min(time) AS at,
       format('RAS: nothing answers for process(es) {} on {}', string_agg(DISTINCT pid::VARCHAR, ', '), string_agg(DISTINCT address, ', ')) AS said,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no) AS evidence
FROM nccl_ras_process WHERE event IN ('dead', 'PEER_DEAD') HAVING count(*) > 0
UNION ALL BY NAME
SELECT 'ras dead' AS source, list(DISTINCT comm_rank ORDER BY comm_rank)::BIGINT[] AS ranks, list(DISTINCT address ORDER BY address) AS hosts, list(DISTINCT pid ORDER BY pid) AS pids,
       comm_hash AS grp, 'probable' AS grade, format('RAS: nothing answers for rank(s) {} on {}', ranges(list(comm_rank)), string_agg(DISTINCT address, ', ')) AS said,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no) AS evidence
FROM (FROM ras_rank WHERE dead QUALIFY nranks = max(nranks) OVER ()) GROUP BY comm_hash
UNION ALL BY NAME
-- The inspector writes what was completed. In a job that hangs all ranks of the world's communicator should stand at one number; a few
-- that stand well behind it have not finished what the others did. The last records may be lost, so a step or two says nothing.
SELECT 'inspector' AS source, list(comm_rank ORDER BY comm_rank) FILTER (last_sn < top)::BIGINT[] AS ranks, list(DISTINCT host ORDER BY host) FILTER (last_sn < top) AS hosts,
       list(DISTINCT pid ORDER BY pid) FILTER (last_sn < top) AS pids, comm_id AS grp, min(last_sn) + 1 AS seq, any_value(last_op) FILTER (last_sn < top) AS op, 'possible' AS grade,
       format('NCCL inspector: the last collective that rank(s) {} completed is number {}, the others all completed {}', ranges(list(comm_rank) FILTER (last_sn < top)), min(last_sn), max(last_sn)) AS said,
       list(line_at(file_id, line_no) ORDER BY last_sn, comm_rank)[:10] AS evidence
FROM (SELECT *, max(last_sn) OVER c AS top, count(*) OVER c AS seen FROM nccl_inspector_last WHERE nranks = (SELECT max(nranks) FROM nccl_inspector_last) WINDOW c AS (PARTITION BY comm_id))
WHERE seen = nranks AND EXISTS (FROM hung WHERE sign IN ('timeout', 'heartbeat', 'abort'))
GROUP BY comm_id
HAVING count(*) FILTER (last_sn < top) BETWEEN 1 AND greatest(1, count(*) // 8) AND max(last_sn) FILTER (last_sn < top) <= max(last_sn) - 3 AND count(*) >= 4;

COMMENT ON TABLE missing_rank_nccl IS 'ranks that stopped before the others, from COLL lines and RAS, in the shape of missing_rank_suspect';
