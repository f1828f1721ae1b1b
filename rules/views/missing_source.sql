-- What would settle more, and the command that gets it: read after the incidents are written, best first.
CREATE VIEW missing_source AS
WITH said AS (
  SELECT bool_or(rule LIKE 'hang.%' OR rule IN ('network.ib_error', 'network.peer_lost')) AS hangs,
         bool_or(rule LIKE 'hang.%' AND root) AS hang_is_root,
         bool_or(rule = 'crash.signal' OR rule LIKE 'gpu.cuda_error' OR rule LIKE 'network.%' OR rule = 'hang.missing_rank'
                 OR (rule = 'oom.host' AND confidence = 'possible')) AS kernel_would_tell,
         bool_or(rule LIKE 'gpu.%' OR rule LIKE 'network.%') AS hardware
  FROM incident WHERE severity <> 'info'
), blamed AS (
  SELECT DISTINCT short_host(h) AS host
  FROM (SELECT unnest(hosts) AS h FROM incident
        WHERE root AND len(hosts) <= 4 AND (rule IN ('crash.signal', 'gpu.cuda_error', 'hang.missing_rank', 'host.node_lost') OR rule LIKE 'network.%'))
  WHERE h NOT IN ('localhost', '127.0.0.1')
), kernel_host AS (
  SELECT DISTINCT short_host(coalesce(k.host, f.host)) AS host
  FROM (SELECT file_id, host FROM kernel_event UNION ALL SELECT file_id, host FROM nvrm_event UNION ALL SELECT file_id, host FROM xid_line
        UNION ALL SELECT file_id, host FROM oom_report) k JOIN file f USING (file_id)
  UNION SELECT short_host(host) FROM file WHERE regexp_matches(path, '(?i)dmesg|kern|kmsg|journal|syslog|messages')
), world AS (
  SELECT max(world_size) AS world_size FROM identity_link
), heard AS (
  SELECT DISTINCT rank FROM (SELECT rank FROM timeline UNION ALL SELECT rank FROM file UNION ALL SELECT rank FROM rank) WHERE rank IS NOT NULL
), silent AS (
  SELECT list(r ORDER BY r) AS ranks, any_value(world_size) AS world_size
  FROM (SELECT unnest(range(world_size)) AS r, world_size FROM world WHERE world_size BETWEEN 2 AND 100000)
  WHERE r NOT IN (SELECT rank FROM heard) HAVING count(*) > 0 AND (SELECT count(*) FROM heard) > 1
), wanted AS (
  SELECT 1 AS place, 'kernel log of ' || host AS what, 'it says whether the GPU, the network card or the OOM killer was the reason' AS why,
         'ssh ' || host || ' sudo dmesg -T > dmesg.' || host || '.txt' AS how
  FROM blamed WHERE host NOT IN (SELECT host FROM kernel_host WHERE host IS NOT NULL)
  UNION ALL
  SELECT 2, 'kernel logs', 'a kill, a GPU fault or a dead link stands there and nowhere else', 'on every host: sudo dmesg -T > dmesg.$(hostname).txt'
  FROM said WHERE kernel_would_tell AND NOT EXISTS (FROM blamed) AND NOT EXISTS (FROM kernel_host)
  UNION ALL
  SELECT 3, 'stacks of all ranks', 'they show which rank is not where the others wait',
         'while it hangs, on every host: pgrep -f YOUR_SCRIPT | xargs -I {} py-spy dump --pid {} > pyspy.$(hostname).txt'
  FROM said WHERE hang_is_root AND NOT EXISTS (FROM stack_frame)
  UNION ALL
  SELECT 4, 'Flight Recorder dumps', 'they tell for every rank which collective it entered last',
         'for the next run: TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1'
  FROM said WHERE hangs AND NOT EXISTS (FROM flight_rank)
  UNION ALL
  SELECT 5, 'logs of ranks ' || ranges(ranks), 'the job has ' || world_size || ' ranks and these say nothing here', 'copy their logs into the run directory'
  FROM silent WHERE EXISTS (FROM said WHERE hangs)
  UNION ALL
  SELECT 6, 'NCCL output', 'it names peers, network cards and the rank of every process', 'for the next run: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,NET'
  FROM said WHERE hangs AND NOT EXISTS (FROM nccl_comm)
)
SELECT what, why, how FROM wanted ORDER BY place, what;
