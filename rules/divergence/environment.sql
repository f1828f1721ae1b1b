/*
title       = "Ranks run with different versions or settings"
severity    = "warning"
confidence  = "probable"
status      = "stable"
explains    = ["hang"]
about       = """
Ranks of one job must agree in the version of NCCL and in the settings that decide what they send each other. Where they differ, init fails,
messages have other sizes than expected, or the job hangs.
"""
remedy      = "Start all hosts from the same image and pass the same environment to all of them (mpirun -x, srun --export, the launcher's env file)."
falsely     = "The logs of several jobs lie in one directory."
*/
-- only with setting, nccl_usage
WITH shared(name) AS (
  VALUES ('NCCL'), ('RCCL'), ('NCCL_ALGO'), ('NCCL_PROTO'), ('NCCL_NET'), ('NCCL_BUFFSIZE'), ('NCCL_NTHREADS'), ('NCCL_MIN_NCHANNELS'), ('NCCL_MAX_NCHANNELS'),
         ('NCCL_MIN_CTAS'), ('NCCL_MAX_CTAS'), ('NCCL_MIN_NRINGS'), ('NCCL_MAX_NRINGS'), ('NCCL_COLLNET_ENABLE'), ('NCCL_NVLS_ENABLE'), ('NCCL_LL_THRESHOLD'),
         ('NCCL_TREE_THRESHOLD'), ('NCCL_CROSS_NIC'), ('NCCL_IB_DISABLE'), ('NCCL_P2P_NET_CHUNKSIZE'), ('NCCL_CUMEM_ENABLE'), ('NCCL_PXN_DISABLE')
), of_host AS (
  SELECT name, host, list(DISTINCT value ORDER BY value) AS said, arg_min(line_at(file_id, line_no), line_no) AS at_line, min(time) AS at
  FROM setting WHERE host IS NOT NULL AND name IN (FROM shared) GROUP BY name, host
), by_value AS (
  SELECT name, array_to_string(said, ', ') AS value, list(host ORDER BY host) AS hosts, list(at_line) AS lines, min("at") AS at FROM of_host GROUP BY ALL
)
SELECT format('Hosts differ in {}: {}', CASE WHEN name IN ('NCCL', 'RCCL') THEN 'their version of ' || name ELSE name END,
              string_agg(value || ' on ' || CASE WHEN len(hosts) > 4 THEN len(hosts) || ' hosts' ELSE array_to_string(hosts, ', ') END, '; ' ORDER BY len(hosts) DESC, value)) AS summary,
       flatten(list(lines[:3])) AS evidence, min("at") AS at, CASE WHEN min(len(hosts)) = max(len(hosts)) THEN list_sort(flatten(list(hosts))) ELSE arg_min(hosts, len(hosts)) END AS hosts, name AS "key", list(value ORDER BY value) AS "values",
       'critical' AS severity
FROM by_value GROUP BY name HAVING count(*) > 1
UNION ALL BY NAME
SELECT format('Ranks run different versions of NCCL: rank {} has {}, rank {} has {}', rank_a, nccl_version_text(version_a), rank_b, nccl_version_text(version_b)) AS summary,
       lines AS evidence, "at", [rank_a, rank_b] AS ranks, 'NCCL' AS "key", [nccl_version_text(version_a), nccl_version_text(version_b)] AS "values",
       'critical' AS severity, 'definite' AS confidence
FROM (SELECT arg_min(rank_a, line_no) AS rank_a, arg_min(rank_b, line_no) AS rank_b, version_a, version_b, min(time) AS at, list(line_at(file_id, line_no)) AS lines
      FROM nccl_usage WHERE event = 'version_mismatch' GROUP BY version_a, version_b)
UNION ALL BY NAME
-- what they agree in, for the reader
SELECT format('NCCL {}; {} communicator(s), the largest of {} ranks', array_to_string(versions, ' and '), communicators, coalesce(nranks::VARCHAR, '?')) AS summary,
       lines AS evidence, hosts, array_to_string(versions, ', ') AS nccl_version, nranks, 'info' AS severity
FROM (SELECT list(DISTINCT split_part(value, '+', 1)) AS versions, list(line_at(file_id, line_no))[:3] AS lines,
             (SELECT max(nranks) FROM communicator) AS nranks, (SELECT count(*) FROM communicator) AS communicators,
             (SELECT list(DISTINCT host ORDER BY host) FILTER (host <> '') FROM nccl_rank) AS hosts
      FROM setting WHERE name IN ('NCCL', 'RCCL') HAVING count(*) > 0)
