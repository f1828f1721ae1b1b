-- What would settle more, and the command that gets it: read after the incidents are written, best first. A cause that was
-- logged by a source that knows needs nothing more.

-- How large the job is, and who of it is heard of in any log.
CREATE TABLE job_size AS
WITH heard AS (SELECT DISTINCT rank FROM (SELECT rank FROM timeline UNION ALL SELECT rank FROM file UNION ALL SELECT rank FROM rank) WHERE rank IS NOT NULL),
world AS (SELECT max(world_size) AS world_size FROM identity_link WHERE world_size BETWEEN 2 AND 100000)
SELECT world_size, (SELECT count(*) FROM heard) AS ranks_heard,
       CASE WHEN (SELECT count(*) FROM heard) > 1 THEN (SELECT coalesce(list(r ORDER BY r), []) FROM (SELECT unnest(range(world_size)) AS r) WHERE r NOT IN (SELECT rank FROM heard)) ELSE [] END AS silent_ranks,
       (SELECT coalesce(list(host ORDER BY host), []) FROM host) AS hosts
FROM world;

-- Files that end before what was written to them did: what a reader found torn, and logs that end within a line while those beside
-- them of the same kind, all of them whole, go on for minutes. A last line without an end alone is usual, and so is one log that ends early.
CREATE VIEW truncated_file AS
WITH torn AS (
  SELECT file_id, max(line_no) AS line_no, arg_max(what, line_no) AS what FROM problem
  WHERE what IN ('cannot be read further', 'Flight Recorder dump: cannot be read to its end', 'the last record is cut off or damaged') OR what LIKE '%truncated%'
     OR (what = 'cannot be read' AND text LIKE '%ended before the end-of-stream%')
  GROUP BY file_id),
ends AS (
  SELECT f.file_id, f.path, f.lines, f.unended, regexp_replace(f.path, '[0-9]+', 'N', 'g') AS kind, max(t.last) AS last
  FROM file f JOIN clock t USING (file_id) WHERE f.reader = 'lines' AND EXISTS (FROM file u WHERE u.unended) GROUP BY ALL),
early AS (
  SELECT e.file_id, e.path, e.lines, e.last, min(o.last) AS others_last
  FROM ends e JOIN ends o ON o.kind = e.kind AND o.file_id <> e.file_id
  WHERE e.unended GROUP BY ALL HAVING count(*) >= 2 AND NOT bool_or(o.unended) AND min(o.last) >= e.last + INTERVAL 2 MINUTE)
SELECT f.path, nullif(greatest(t.line_no, coalesce(f.lines, 0)), 0) AS line_no, NULL::TIMESTAMP AS last, t.what AS how, f.file_id FROM torn t JOIN file f USING (file_id)
UNION ALL
SELECT path, lines, last, 'in the middle of a line, ' || date_diff('minute', last, others_last) || ' min before the logs beside it', file_id FROM early;

CREATE VIEW missing_source AS
WITH cause AS (
  SELECT rule, confidence, ranks, hosts, facts, rule LIKE 'hang.%' AS hangs, rule LIKE 'network.%' AS network,
         -- what a hang or a dead peer is about is often told by another log than the one that complains
         confidence = 'definite' AND rule NOT IN ('hang.collective_timeout', 'hang.init_incomplete', 'hang.missing_rank', 'crash.signal', 'gpu.cuda_error', 'host.node_lost', 'network.ib_error', 'network.connect_failure') AS settled,
         coalesce((facts ->> 'signal') NOT IN ('4', '6', '8', '11'), true) AS may_be_killed
  FROM incident WHERE root
), said AS (
  SELECT bool_or(hangs) AS hangs, bool_or(network) AS network, bool_or(settled) AS settled, bool_or(rule = 'hang.init_incomplete') AS at_init,
         bool_or(rule IN ('hang.collective_timeout', 'hang.missing_rank')) AS in_collective,
         bool_or(network OR rule IN ('gpu.cuda_error', 'hang.missing_rank') OR (rule = 'crash.signal' AND may_be_killed) OR (rule = 'oom.host' AND confidence = 'possible')) AS kernel_would_tell
  FROM cause
), suspect AS (   -- who is suspected of not having come
  SELECT DISTINCT r FROM (SELECT unnest(ranks) AS r FROM cause WHERE rule = 'hang.missing_rank' UNION ALL SELECT unnest(j.silent_ranks) FROM job_size j, said WHERE said.at_init)
), unheard AS (
  SELECT list(r ORDER BY r) AS ranks, list(DISTINCT k.host ORDER BY k.host) FILTER (k.host IS NOT NULL) AS hosts
  FROM suspect LEFT JOIN rank k ON k.rank = r WHERE r IN (SELECT unnest(silent_ranks) FROM job_size) HAVING count(*) > 0
), unseen AS (   -- suspects whose own stack nobody took
  SELECT list(r ORDER BY r) AS ranks, list(DISTINCT k.host ORDER BY k.host) FILTER (k.host IS NOT NULL) AS hosts
  FROM suspect LEFT JOIN rank k ON k.rank = r WHERE r NOT IN (SELECT rank FROM stack_rank WHERE rank IS NOT NULL UNION ALL SELECT rank FROM attach_refused WHERE rank IS NOT NULL) HAVING count(*) > 0
), refused AS (   -- by tool and reason: the processes it could not look into
  SELECT tool, reason, list(DISTINCT host ORDER BY host) FILTER (host IS NOT NULL) AS hosts,
         CASE WHEN count(rank) = count(*) THEN 'rank ' || ranges(list(DISTINCT rank)) WHEN count(pid) > 0 THEN 'process ' || array_to_string(list(DISTINCT pid ORDER BY pid) FILTER (pid IS NOT NULL), ', ') ELSE 'the processes' END AS who,
         CASE WHEN count(DISTINCT pid) = 1 AND count(pid) = count(*) THEN min(pid)::VARCHAR ELSE 'PID' END AS pid_said
  FROM attach_refused WHERE reason IN ('permission', 'capability', 'traced') GROUP BY tool, reason
), failed_first AS (   -- a process failed and says nowhere why
  SELECT coalesce('rank ' || e.rank, 'local rank ' || e.local_rank) AS who, short_host(e.host) AS host, e.exitcode FROM "exit" e
  WHERE coalesce(e.rank, e.local_rank) IS NOT NULL AND e.exitcode BETWEEN 1 AND 127 AND NOT EXISTS (FROM exception_verdict x WHERE x.rank = e.rank OR (x.rank IS NULL AND x.kind <> 'echo'))
    AND NOT EXISTS (FROM cause WHERE settled)
  ORDER BY e.first_observed DESC NULLS LAST, e.rank IS NULL, e.time NULLS LAST, e.rank LIMIT 1
), died AS (   -- Ray tells that a worker is gone, not why
  SELECT DISTINCT pid, host FROM "exit" WHERE said_by = 'ray' AND pid IS NOT NULL AND host IS NOT NULL AND NOT EXISTS (FROM cause) ORDER BY pid LIMIT 4
), blamed AS (
  SELECT DISTINCT short_host(h) AS host, rule
  FROM (SELECT unnest(hosts) AS h, rule FROM cause WHERE len(hosts) <= 4 AND (rule IN ('gpu.cuda_error', 'hang.missing_rank', 'host.node_lost', 'network.ib_error', 'network.connect_failure', 'oom.host') OR (rule = 'crash.signal' AND may_be_killed))
        UNION ALL
        -- of a connection the end that did not answer
        SELECT coalesce(a.host, peer), rule FROM (SELECT coalesce(facts ->> 'peer_host', facts ->> 'peer') AS peer, rule FROM cause WHERE network) LEFT JOIN address_host a ON a.address = peer)
  WHERE h IS NOT NULL AND h NOT IN ('localhost', '127.0.0.1', '::1')
), kernel_host AS (
  SELECT DISTINCT short_host(coalesce(k.host, f.host)) AS host
  FROM (SELECT file_id, host FROM kernel_event UNION ALL SELECT file_id, host FROM nvrm_event UNION ALL SELECT file_id, host FROM xid_line
        UNION ALL SELECT file_id, host FROM oom_report) k JOIN file f USING (file_id)
  UNION SELECT short_host(host) FROM file WHERE regexp_matches(path, '(?i)dmesg|kern|kmsg|journal|syslog|messages')
), wanted AS (
  SELECT 1 AS place, 'output of ' || who || coalesce(' on ' || host, '') AS what, 'it ended with exit code ' || exitcode || ' and its reason is not in these logs' AS why,
         'copy its stdout and stderr here; for the next run: torchrun --log-dir LOGS --redirects 3 --tee 3, or srun --output=job.%t.out' AS how
  FROM failed_first
  UNION ALL
  SELECT 1, 'output and kernel log of worker ' || pid || ' on ' || host, 'its process died and what ended it stands there: the OOM killer, a fault, an abort',
         'ssh ' || host || ' ''sudo dmesg -T; cat /tmp/ray/session_latest/logs/worker-*-' || pid || '.*'' > worker.' || pid || '.log'
  FROM died
  UNION ALL
  SELECT 1, 'logs of rank ' || ranges(ranks) || coalesce(' on ' || nullif(array_to_string(hosts, ', '), ''), ''), 'the others wait for it, and nothing here was written by it',
         'copy its output here; if nothing was started there, look into the scheduler''s record of that host'
  FROM unheard
  UNION ALL
  SELECT 1, 'output of the processes on ' || host, 'they closed the connection: what ended them stands in their own log', 'copy their output here'
  FROM blamed WHERE rule = 'network.peer_lost' AND host NOT IN (SELECT host FROM cause, unnest(hosts) AS u(host)) AND host NOT IN (SELECT host FROM host)
  UNION ALL
  SELECT 2, 'a whole ' || path, 'truncated, ends at ' || path || coalesce(':' || line_no, '') || coalesce(strftime(last, ' (%Y-%m-%d %H:%M:%S)'), '') || ': ' || how || '; what stood behind that place is unknown',
         'copy it again; compare its size with the original'
  FROM truncated_file WHERE NOT coalesce((SELECT settled FROM said), true)
  UNION ALL
  SELECT 3, 'kernel log of ' || host,
         CASE WHEN rule = 'host.node_lost' THEN 'its last lines and its management controller say why it went' ELSE 'it says whether the GPU, the network card or the OOM killer was the reason' END,
         CASE WHEN rule = 'host.node_lost' THEN 'ssh ' || host || ' ''sudo journalctl -k -b -1; sudo ipmitool sel elist'' > dmesg.' || host || '.txt' ELSE 'ssh ' || host || ' sudo dmesg -T > dmesg.' || host || '.txt' END
  FROM (SELECT host, min(rule) AS rule FROM blamed GROUP BY host) WHERE host NOT IN (SELECT host FROM kernel_host WHERE host IS NOT NULL)
  UNION ALL
  SELECT 4, 'kernel logs', 'a kill, a GPU fault or a dead link stands there and nowhere else', 'on every host: sudo dmesg -T > dmesg.$(hostname).txt'
  FROM said WHERE kernel_would_tell AND NOT settled AND NOT EXISTS (FROM blamed) AND NOT EXISTS (FROM kernel_host)
  UNION ALL
  SELECT 5, 'stack of rank ' || ranges(ranks), 'it shows what it does instead of joining the others',
         CASE WHEN len(hosts) = 1 THEN 'while it hangs: ssh ' || hosts[1] || ' ''pgrep -f YOUR_SCRIPT | xargs -I {} sudo py-spy dump --pid {}'' > pyspy.' || hosts[1] || '.txt'
              ELSE 'while it hangs, on its host: pgrep -f YOUR_SCRIPT | xargs -I {} sudo py-spy dump --pid {} > pyspy.$(hostname).txt' END
  FROM unseen, said WHERE said.hangs AND NOT said.at_init AND len(ranks) <= 8
  UNION ALL
  SELECT 5, CASE WHEN tool = 'strace' THEN 'system calls' ELSE 'stack' END || ' of ' || who, tool || CASE reason WHEN 'traced' THEN ' was refused: another debugger holds it' ELSE ' was refused for lack of permission' END,
         CASE reason
           WHEN 'traced' THEN 'py-spy dump --nonblocking --pid ' || pid_said || '; who holds it: grep TracerPid /proc/' || pid_said || '/status'
           WHEN 'capability' THEN 'from its host, outside the container: sudo py-spy dump --pid PID_ON_THE_HOST; or start the container with --cap-add SYS_PTRACE (Kubernetes: securityContext.capabilities.add: [SYS_PTRACE])'
           ELSE coalesce('on ' || nullif(array_to_string(hosts, ', '), '') || ': ', '')
             || CASE tool WHEN 'strace' THEN 'sudo strace -f -ttt -T -yy -p ' || pid_said || ' -o strace.' || pid_said || '.log' WHEN 'gdb' THEN 'sudo gdb -p ' || pid_said || ' -batch -ex "thread apply all bt" > gdb.' || pid_said || '.txt'
                          ELSE 'sudo env "PATH=$PATH" py-spy dump --pid ' || pid_said || ' > pyspy.' || pid_said || '.txt' END
             || '; in a container --cap-add SYS_PTRACE; as its user: sudo sysctl kernel.yama.ptrace_scope=0'
             || CASE WHEN tool = 'py-spy' THEN '' ELSE '; if grep TracerPid /proc/' || pid_said || '/status is not 0, another debugger holds it' END END
  FROM refused WHERE NOT coalesce((SELECT settled FROM said), false)
  UNION ALL
  SELECT 5, 'stacks of all ranks', 'they show which rank is not where the others wait',
         'while it hangs, on every host: pgrep -f YOUR_SCRIPT | xargs -I {} sudo py-spy dump --pid {} > pyspy.$(hostname).txt'
  FROM said WHERE hangs AND NOT settled AND NOT EXISTS (FROM stack_frame) AND NOT EXISTS (FROM unseen WHERE len(ranks) <= 8) AND NOT EXISTS (FROM refused WHERE tool = 'py-spy')
  UNION ALL
  SELECT 6, 'Flight Recorder dumps', 'they tell for every rank which collective it entered last',
         'for the next run: TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_NCCL_DEBUG_INFO_TEMP_FILE=RUN/nccl_trace_rank_'
  FROM said WHERE in_collective AND NOT settled AND NOT EXISTS (FROM flight_rank)
  UNION ALL
  SELECT 7, 'logs of ranks ' || ranges(silent_ranks), 'the job has ' || world_size || ' ranks and these say nothing here', 'copy their logs into the run directory'
  FROM job_size, said WHERE (hangs OR network) AND NOT settled AND len(silent_ranks) > 0 AND NOT EXISTS (FROM unheard)
  UNION ALL
  SELECT 8, 'NCCL output', coalesce('NCCL_DEBUG was ' || (SELECT min(value) FROM setting WHERE name = 'NCCL_DEBUG') || ': ', '') || 'with INFO it names peers, network cards and the rank of every process', 'for the next run: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,NET'
  FROM said WHERE (in_collective OR at_init OR (NOT EXISTS (FROM cause) AND EXISTS (FROM fatal_exception WHERE kind = 'collective' AND message LIKE '%NCCL%'))) AND NOT coalesce(settled, false) AND NOT EXISTS (FROM nccl_comm)
)
SELECT what, why, how FROM wanted ORDER BY place, what;
