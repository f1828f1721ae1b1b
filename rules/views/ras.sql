-- What RAS says of operation counts, one row per snapshot, communicator and kind of operation. RAS names the ranks of small
-- groups only: they may be the ones ahead. The same numbers in two snapshots mean that nothing moves.
CREATE TABLE ras_count AS
WITH counts AS (
  SELECT file_id, counts_line, comm_hash, op, max(time) AS time, max(launched) AS count_ahead, min(launched) AS count_behind, sum(affected)::BIGINT AS nranks,
         sum(affected) FILTER (launched = top) AS n_ahead, sum(affected) FILTER (launched = low) AS n_behind,
         list(line_at(file_id, line_no) ORDER BY line_no) AS evidence
  FROM (
    SELECT *, max(launched) OVER one AS top, min(launched) OVER one AS low FROM (
      SELECT file_id, counts_line, comm_hash, op, time, affected, launched, line_no FROM nccl_ras_count
      UNION ALL SELECT file_id, counts_line, comm_hash, op, time, 1, launched, line_no FROM nccl_ras_rank WHERE launched_line IS NULL)
    WINDOW one AS (PARTITION BY file_id, counts_line))
  GROUP BY file_id, counts_line, comm_hash, op
), named AS (
  SELECT n.file_id, n.counts_line, list(comm_rank ORDER BY comm_rank) FILTER (launched = count_ahead) AS ranks_ahead,
         list(comm_rank ORDER BY comm_rank) FILTER (launched = count_behind) AS ranks_behind,
         list(DISTINCT address ORDER BY address) FILTER (launched = count_behind) AS hosts_behind,
         list(DISTINCT n.pid ORDER BY n.pid) FILTER (launched = count_behind) AS pids_behind,
         list(line_at(n.file_id, n.line_no) ORDER BY n.line_no) AS named_lines
  FROM nccl_ras_rank n JOIN counts c ON c.file_id = n.file_id AND c.counts_line = n.counts_line GROUP BY ALL
)
SELECT c.*, n.ranks_ahead, n.ranks_behind, n.hosts_behind, n.pids_behind, c.evidence || coalesce(n.named_lines, []) AS lines,
       count(*) OVER (PARTITION BY c.comm_hash, c.op, c.count_ahead, c.count_behind, c.n_behind) > 1 AS stalled,
       row_number() OVER (PARTITION BY c.comm_hash, c.op ORDER BY c.time DESC NULLS LAST, c.file_id DESC, c.counts_line DESC) = 1 AS latest
FROM counts c LEFT JOIN named n USING (file_id, counts_line)
WHERE c.count_ahead > c.count_behind;

COMMENT ON TABLE ras_count IS 'operation counts RAS found to differ, by snapshot, communicator and kind of operation; stalled = two snapshots with the same numbers';
