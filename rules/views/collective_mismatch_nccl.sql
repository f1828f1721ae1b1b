-- Where the ranks of a communicator called different things at the same place of their sequence, from COLL lines, and messages whose
-- size the receiver did not expect. A lost or doubled line shifts a rank against the others: a difference that a shift by a few calls
-- explains is none.
CREATE TABLE collective_mismatch_nccl AS
WITH calls AS (
  SELECT c.comm_key, c.comm_rank, c.seq, c.op, c.datatype, c.elements, c.redop, c.root, c.host, c.time, c.file_id, c.line_no,
         hash(c.op, c.datatype, c.elements, c.redop, CASE WHEN c.op IN ('Broadcast', 'Reduce', 'Gather', 'Scatter') THEN c.root END) AS sig
  FROM collective_call c JOIN communicator k ON k.comm_key = c.comm_key AND NOT k.ambiguous
), first AS (
  SELECT comm_key, min(seq) AS seq FROM (SELECT comm_key, seq FROM calls GROUP BY ALL HAVING min(sig) <> max(sig)) GROUP BY comm_key
), near AS (
  SELECT c.*, f.seq AS at_seq, mode(sig) OVER (PARTITION BY c.comm_key, c.seq) AS usual
  FROM calls c JOIN first f ON f.comm_key = c.comm_key AND c.seq BETWEEN f.seq AND f.seq + 4
), shifted AS (
  SELECT DISTINCT x.comm_key, x.comm_rank
  FROM near x JOIN near y ON y.comm_key = x.comm_key AND y.seq <> x.seq
  WHERE x.sig <> x.usual OR y.sig <> y.usual
  -- what the rank calls here the others call a little later, or the reverse
  GROUP BY x.comm_key, x.comm_rank
  HAVING bool_or(x.seq = x.at_seq AND x.sig <> x.usual AND y.seq > x.seq AND x.sig = y.usual)
      OR bool_or(y.seq = y.at_seq AND x.seq > y.seq AND x.sig = y.usual AND x.comm_rank = y.comm_rank AND y.sig <> y.usual)
), differing AS (
  SELECT n.*, n.sig <> n.usual AS odd FROM near n WHERE n.seq = n.at_seq
    AND NOT EXISTS (FROM shifted s WHERE s.comm_key = n.comm_key)
)
SELECT 'nccl calls' AS source, comm_key AS grp, seq,
       CASE WHEN count(DISTINCT op) > 1 THEN 'op' WHEN count(DISTINCT datatype) > 1 THEN 'dtype' WHEN count(DISTINCT elements) > 1 THEN 'size'
            WHEN count(DISTINCT redop) > 1 THEN 'redop' ELSE 'root' END AS field,
       list(DISTINCT op ORDER BY op) AS ops,
       CASE WHEN count(DISTINCT op) > 1 THEN list(DISTINCT op ORDER BY op) WHEN count(DISTINCT datatype) > 1 THEN list(DISTINCT datatype ORDER BY datatype)
            WHEN count(DISTINCT elements) > 1 THEN list(DISTINCT elements::VARCHAR ORDER BY elements::VARCHAR)
            WHEN count(DISTINCT redop) > 1 THEN list(DISTINCT redop ORDER BY redop) ELSE list(DISTINCT root::VARCHAR ORDER BY root::VARCHAR) END AS "values",
       -- the majority is right; without one all are named
       CASE WHEN count(*) FILTER (odd) * 2 < count(*) THEN list(comm_rank ORDER BY comm_rank) FILTER (odd) ELSE list(comm_rank ORDER BY comm_rank) END::BIGINT[] AS ranks,
       list(comm_rank ORDER BY comm_rank)::BIGINT[] AS all_ranks, list(DISTINCT host ORDER BY host) FILTER (odd) AS hosts, NULL::VARCHAR AS version, 'probable' AS grade, min(time) AS time,
       format('collective {} of the communicator: rank(s) {} called {}, the others {}', seq, ranges(list(comm_rank) FILTER (odd)),
              min(op || ' of ' || elements || ' ' || datatype) FILTER (odd), min(op || ' of ' || elements || ' ' || datatype) FILTER (NOT odd)) AS said,
       list(line_at(file_id, line_no) ORDER BY odd DESC, comm_rank)[:10] AS evidence
FROM differing GROUP BY comm_key, seq HAVING count(*) FILTER (odd) > 0
UNION ALL BY NAME
SELECT 'nccl message size' AS source, 'size' AS field, [local_bytes::VARCHAR, remote_bytes::VARCHAR] AS "values", list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
       'probable' AS grade, min(time) AS time, format('a message of {} bytes came from {} where {} bytes were expected', remote_bytes, min(peer), local_bytes) AS said,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:10] AS evidence
FROM nccl_size_mismatch GROUP BY local_bytes, remote_bytes
UNION ALL BY NAME
SELECT 'nccl' AS source, list(DISTINCT rank_a ORDER BY rank_a)::BIGINT[] AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, 'possible' AS grade,
       min(time) AS time, format('NCCL suspects a collective mismatch at and around rank {}', ranges(list(rank_a))) AS said,
       list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:10] AS evidence
FROM nccl_usage WHERE event = 'collective_mismatch' HAVING count(*) > 0;

COMMENT ON TABLE collective_mismatch_nccl IS 'collectives that ranks of a communicator called with different operation, type, size or root at the same place, one row per mismatch';
