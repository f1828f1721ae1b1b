-- Ranks that ran something else under the same number of the same group, by source.
-- Fixed shape: source, grp, seq, field, "values", ops, ranks, all_ranks, hosts, time, said, version, evidence.

CREATE VIEW collective_mismatch_flight AS
WITH by_value AS (
  SELECT grp_key, seq, field, value, list_sort(list(rank)) AS ranks, count(*) AS n, any_value(grp) AS grp, any_value(grp_desc) AS grp_desc, min(time) AS time,
    list_distinct(list(host) FILTER (host IS NOT NULL)) AS hosts, list_sort(list(DISTINCT kind)) AS kinds,
    list({'file_id': file_id, 'line_no': line_no, 'text': 'rank ' || rank || ': ' || kind || ' ' || coalesce(input_sizes, '') || ' ' || coalesce(input_dtypes, '') || coalesce(' at ' || place, '')} ORDER BY rank)[:4] AS evidence
  FROM collective_disagreement WHERE value IS NOT NULL GROUP BY ALL),
ranked AS (SELECT *, max(n) OVER w AS most, sum(n) OVER w AS total FROM by_value WINDOW w AS (PARTITION BY grp_key, seq))
SELECT 'flight_recorder' AS source, coalesce(nullif(any_value(grp_desc), ''), any_value(grp)) AS grp, seq, any_value(field) AS field, list(value ORDER BY n, value) AS "values",
  list_sort(list_distinct(flatten(list(kinds)))) AS ops,
  -- The majority is right; without one all are named.
  CASE WHEN 2 * any_value(most) > any_value(total) THEN list_sort(flatten(list(ranks) FILTER (n < most))) ELSE list_sort(flatten(list(ranks))) END AS ranks,
  list_sort(flatten(list(ranks))) AS all_ranks, list_distinct(flatten(list(hosts) FILTER (n < most))) AS hosts, min(time) AS time,
  string_agg(value || ' on ' || CASE WHEN n = 1 THEN 'rank ' ELSE 'ranks ' END || ranges(ranks), ', ' ORDER BY n, value) AS said,
  (SELECT max_by(version, (version_major, version_minor)) FROM flight_rank) AS version, flatten(list(evidence ORDER BY n, value)) AS evidence
FROM ranked GROUP BY grp_key, seq;

-- TORCH_DISTRIBUTED_DEBUG=DETAIL. Each rank is believed for itself; for the other one only where no line of its own is there.
CREATE VIEW collective_mismatch_fingerprint AS
WITH own AS (
  SELECT coalesce(rank, group_rank) AS rank, group_rank, collective_seq AS seq, collective_seq AS own_seq, op, shape, dtype, host, time, file_id, line_no, 1 AS prefer FROM c10d_fingerprint),
-- Two calls of different number met: the other one stands under the number of the rank that says so.
other AS (
  SELECT other_rank AS rank, other_rank AS group_rank, collective_seq AS seq, other_seq AS own_seq, other_op AS op, other_shape AS shape, other_dtype AS dtype, NULL::VARCHAR AS host, time, file_id, line_no, 2 AS prefer
  FROM c10d_fingerprint WHERE other_op IS NOT NULL AND (other_seq IS NOT DISTINCT FROM collective_seq OR other_shape IS NOT NULL)),
every AS (
  SELECT * FROM (SELECT * FROM own UNION ALL BY NAME SELECT * FROM other)
  QUALIFY row_number() OVER (PARTITION BY rank, seq ORDER BY prefer, line_no) = 1),
first_seq AS (SELECT coalesce(min(seq), -1) AS seq FROM every),
met AS (SELECT e.* FROM every e JOIN first_seq f ON f.seq = coalesce(e.seq, -1)),
differs AS (SELECT CASE WHEN count(DISTINCT op) > 1 THEN 'op' WHEN count(DISTINCT shape) > 1 THEN 'size' WHEN count(DISTINCT dtype) > 1 THEN 'dtype' WHEN count(DISTINCT own_seq) > 1 THEN 'seq' END AS field FROM met),
by_value AS (
  SELECT d.field, CASE d.field WHEN 'op' THEN op WHEN 'size' THEN shape WHEN 'dtype' THEN dtype WHEN 'seq' THEN own_seq::VARCHAR ELSE op END AS value, list_sort(list(DISTINCT rank)) AS ranks, count(DISTINCT rank) AS n,
    list_distinct(list(op)) AS kinds, min(seq) AS seq, min(time) AS time, list_distinct(list(host) FILTER (host IS NOT NULL)) AS hosts, list_distinct(list(line_at(file_id, line_no))) AS evidence
  FROM met CROSS JOIN differs d GROUP BY ALL),
-- Where one rank alone speaks: whom it names beside itself.
named AS (SELECT CASE WHEN count(DISTINCT coalesce(rank, group_rank)) = 1 THEN list(DISTINCT other_rank) FILTER (other_rank IS NOT NULL) END AS others FROM c10d_fingerprint),
ranked AS (SELECT *, max(n) OVER () AS most, sum(n) OVER () AS total FROM by_value)
SELECT 'fingerprint' AS source, NULL::VARCHAR AS grp, min(seq) AS seq, any_value(field) AS field, list(value ORDER BY n, value) AS "values", list_sort(list_distinct(flatten(list(kinds)))) AS ops,
  -- one half alone: who says it is no more suspect than the others
  CASE WHEN count(*) = 1 THEN [] WHEN any_value(total) > 2 AND 2 * any_value(most) > any_value(total) THEN list_sort(flatten(list(ranks) FILTER (n < most))) ELSE list_sort(list_distinct(flatten(list(ranks)))) END AS ranks,
  list_sort(list_distinct(flatten(list(ranks)) || coalesce((SELECT others FROM named), []))) AS all_ranks, list_distinct(flatten(list(hosts))) AS hosts, min(time) AS time,
  string_agg(value || ' on ' || CASE WHEN n = 1 THEN 'rank ' ELSE 'ranks ' END || ranges(ranks), ', ' ORDER BY n, value)
    || CASE WHEN count(*) = 1 THEN coalesce('; what rank ' || (SELECT ranges(others) FROM named WHERE len(others) > 0) || ' ran is not told in a way that can be trusted', '; what the others ran is not told') ELSE '' END AS said, NULL::VARCHAR AS version,
  list_distinct(flatten(list(evidence))) AS evidence
FROM ranked HAVING count(*) > 0;

-- Watchdogs that gave up the same number of the same group in different operations or sizes. All-to-all and its kin may differ.
CREATE VIEW collective_mismatch_watchdog AS
WITH met AS (
  SELECT coalesce(grp_desc, grp, '') AS grp_key, grp, grp_desc, collective_seq AS seq, rank, host, op,
    CASE WHEN op IN ('ALLREDUCE', 'BROADCAST', 'REDUCE', '_ALLGATHER_BASE', 'ALLGATHER', '_REDUCE_SCATTER_BASE', 'REDUCE_SCATTER') THEN numel_in END AS numel, time, file_id, line_no
  FROM c10d_timeout_once WHERE said_by IN ('watchdog', 'blocking_wait') AND rank IS NOT NULL AND op NOT IN ('SEND', 'RECV', 'RECVANYSOURCE', 'COALESCED', 'UNKNOWN')),
odd AS (
  SELECT grp_key, seq, CASE WHEN count(DISTINCT op) > 1 THEN 'op' ELSE 'size' END AS field FROM met
  -- Ranks of several groups of the same name are no disagreement: each rank must stand in one operation only.
  GROUP BY grp_key, seq HAVING (count(DISTINCT op) > 1 OR count(DISTINCT numel) > 1) AND count(*) = count(DISTINCT rank)
    AND (any_value(grp) IS NOT NULL OR (SELECT count(DISTINCT coalesce(grp, '')) FROM c10d_status) <= 1)),
by_value AS (
  SELECT m.grp_key, m.seq, o.field, CASE o.field WHEN 'op' THEN op ELSE numel::VARCHAR END AS value, list_sort(list(DISTINCT rank)) AS ranks, count(DISTINCT rank) AS n, any_value(grp) AS grp, any_value(grp_desc) AS grp_desc,
    min(time) AS time, list_distinct(list(op)) AS kinds, list_distinct(list(host) FILTER (host IS NOT NULL)) AS hosts, list(line_at(file_id, line_no))[:4] AS evidence
  FROM met m JOIN odd o USING (grp_key, seq) GROUP BY ALL),
ranked AS (SELECT *, max(n) OVER w AS most, sum(n) OVER w AS total FROM by_value WINDOW w AS (PARTITION BY grp_key, seq))
SELECT 'watchdog' AS source, coalesce(nullif(any_value(grp_desc), ''), any_value(grp)) AS grp, seq, any_value(field) AS field, list(value ORDER BY n, value) AS "values", list_sort(list_distinct(flatten(list(kinds)))) AS ops,
  CASE WHEN any_value(total) > 2 AND 2 * any_value(most) > any_value(total) THEN list_sort(flatten(list(ranks) FILTER (n < most))) ELSE list_sort(flatten(list(ranks))) END AS ranks,
  list_sort(flatten(list(ranks))) AS all_ranks, list_distinct(flatten(list(hosts) FILTER (n < most))) AS hosts, min(time) AS time,
  string_agg(value || ' on ' || CASE WHEN n = 1 THEN 'rank ' ELSE 'ranks ' END || ranges(ranks), ', ' ORDER BY n, value) AS said, NULL::VARCHAR AS version, flatten(list(evidence ORDER BY n, value)) AS evidence
FROM ranked GROUP BY grp_key, seq;

-- gloo met a message longer than the one it waits for.
CREATE VIEW collective_mismatch_gloo AS
SELECT 'gloo' AS source, NULL::VARCHAR AS grp, NULL::BIGINT AS seq, 'size' AS field, [any_value(received_bytes)::VARCHAR, any_value(expected_bytes)::VARCHAR] AS "values", []::VARCHAR[] AS ops,
  list_sort(list(DISTINCT rank) FILTER (rank IS NOT NULL)) AS ranks, list_sort(list(DISTINCT rank) FILTER (rank IS NOT NULL)) AS all_ranks, list_distinct(list(host) FILTER (host IS NOT NULL)) AS hosts, min(time) AS time,
  'a message of ' || any_value(received_bytes) || ' bytes met a receiver that waits for ' || any_value(expected_bytes) AS said, NULL::VARCHAR AS version, list(line_at(file_id, line_no)) AS evidence
FROM c10d_size HAVING count(*) > 0;

CREATE TABLE collective_mismatch_source AS
SELECT * FROM collective_mismatch_flight
UNION ALL BY NAME SELECT * FROM collective_mismatch_fingerprint
UNION ALL BY NAME SELECT * FROM collective_mismatch_watchdog
UNION ALL BY NAME SELECT * FROM collective_mismatch_gloo
UNION ALL BY NAME SELECT * FROM collective_mismatch_nccl;
