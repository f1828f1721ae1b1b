/*
title       = "Ranks issued different numbers of collectives"
severity    = "warning"
confidence  = "probable"
status      = "stable"
about       = """
Some ranks of a communicator have launched more operations than others. In a running job that is a moment's difference; in two
snapshots with the same numbers, or at the end of a job that hung, the ranks behind are the ones that are waited for.
RAS names the ranks of the smaller group, and these may be the ones ahead.
"""
remedy      = """
Take a second snapshot (ncclras -v) a minute later: equal numbers mean a stall. Then look at the ranks behind - their stack (py-spy dump), log and
host - not at those ahead, which wait.
"""
falsely     = "A single snapshot of a job that is merely busy; debug output of a rank is incomplete."
references  = ["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/ras.html", "https://github.com/NVIDIA/nccl/issues/1911"]
*/
SELECT format('{} {} of {} launched {} {} operations, the others up to {}{}', CASE WHEN stalled THEN 'No progress between snapshots:' ELSE 'RAS:' END,
              CASE WHEN len(ranks_behind) = n_behind THEN 'rank(s) ' || ranges(ranks_behind) ELSE n_behind || ' ranks' END, nranks, count_behind, coalesce(op, 'collective'), count_ahead,
              CASE WHEN len(ranks_ahead) = n_ahead AND n_ahead < n_behind THEN ' (rank ' || ranges(ranks_ahead) || ' ahead)' ELSE '' END) AS summary,
       lines AS evidence, time AS at, ranks_behind AS ranks, comm_hash, comm_hash AS "group", op, ranks_ahead, ranks_behind, count_ahead, count_behind, n_ahead, n_behind, nranks,
       CASE WHEN stalled THEN 'critical' ELSE 'warning' END AS severity
FROM ras_count WHERE latest
UNION ALL BY NAME
SELECT format('Ranks of a communicator of {} issued different numbers of collectives: {} to {}', max(nranks), min(calls), max(calls)) AS summary,
       [arg_min(line_at(file_id, line_no), calls), arg_max(line_at(file_id, line_no), calls)] AS evidence,
       list(comm_rank ORDER BY comm_rank) FILTER (calls = low) AS ranks, comm_key AS comm_hash, comm_key AS "group", arg_max(last_op, calls) AS op,
       list(comm_rank ORDER BY comm_rank) FILTER (calls = high) AS ranks_ahead, list(comm_rank ORDER BY comm_rank) FILTER (calls = low) AS ranks_behind,
       max(calls) AS count_ahead, min(calls) AS count_behind, max(nranks) AS nranks,
       map_from_entries(list((comm_rank, calls) ORDER BY comm_rank)) AS counts, 'warning' AS severity
FROM (SELECT *, min(calls) OVER one AS low, max(calls) OVER one AS high FROM nccl_call_count WHERE NOT ambiguous WINDOW one AS (PARTITION BY comm_key))
WHERE low < high AND EXISTS (FROM trouble_sign WHERE sign IN ('timeout', 'heartbeat', 'abort', 'exception'))
GROUP BY comm_key HAVING NOT bool_and(ended) AND count(*) > 1
