/*
title       = "A processor or a task of the host stood still"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network.peer_lost", "perf.slowdown"]
momentary     = true
about       = """
The kernel saw a processor that did not schedule (lockup, RCU stall) or a task that waited without interruption for minutes (hung task). A hung task
is nearly always a victim: of a file system that does not answer, of a full disk queue, of a driver. Its stack says of which. It explains a panic
of its host where the kernel says that it panics for this (hung_task_panic, softlockup_panic), and no other.
"""
remedy      = "Look at the stack the kernel printed below the line: nfs_, ll_, ldlm_, fuse_ mean the file server, jbd2 and xfs the disk, nvidia the GPU driver. Lockups without such a stack: firmware, microcode, a broken processor; take the node out."
falsely     = "A virtual machine that was paused or migrated; a large dump or a memory hot-add; checkpoints to a slow but healthy disk."
references  = ["https://docs.kernel.org/admin-guide/lockup-watchdogs.html", "https://docs.kernel.org/RCU/stallwarn.html"]
*/
WITH frames AS (
  SELECT file_id, hung_line, first(function ORDER BY depth) FILTER (NOT regexp_matches(function, '^(__)?(schedule|switch_to|io_schedule|context_switch|bit_wait|wait_on_bit|out_of_line|rt_mutex|mutex|rwsem|down_|up_|wait_for|schedule_|entry_|do_syscall|x64_sys|__x64|ret_from)')) AS waits_in,
         any_value(module) FILTER (module IS NOT NULL) AS module
  FROM kernel_frame GROUP BY ALL
), stalls AS (
  SELECT e.*, f.waits_in, f.module, CASE e.kind WHEN 'hard_lockup' THEN 1 WHEN 'soft_lockup' THEN 2 WHEN 'rcu_stall' THEN 3 ELSE 4 END AS weight
  FROM kernel_event_of_boot e LEFT JOIN frames f ON f.file_id = e.file_id AND f.hung_line = e.line_no
  WHERE e.kind IN ('soft_lockup', 'hard_lockup', 'rcu_stall', 'hung_task')
), grouped AS (
  SELECT host, boot, CASE WHEN host IS NULL THEN file_id END AS own_file, arg_min(s, (weight, CASE WHEN waits_in IS NULL THEN 1 ELSE 0 END, line_no)) AS first, max(seconds) AS seconds, count(*) AS times, list_sort(list(DISTINCT kind)) AS kinds,
         min(time) AS "at", max(time) AS until, list(line_at(file_id, line_no) ORDER BY weight, line_no)[1:20] AS evidence, list_sort(list(DISTINCT process) FILTER (process IS NOT NULL))[1:10] AS processes
  FROM stalls s GROUP BY ALL
)
SELECT concat(coalesce(host || ': ', ''), CASE first.kind WHEN 'hard_lockup' THEN 'hard lockup of ' || first.device WHEN 'soft_lockup' THEN format('soft lockup, {} stuck for {} s in {} (pid {})', first.device, seconds::BIGINT, first.process, first.pid)
              WHEN 'rcu_stall' THEN first.device || ' stall: ' || first.message ELSE format('task {} (pid {}) blocked for more than {} s', first.process, first.pid, seconds::BIGINT) END,
              CASE WHEN first.waits_in IS NOT NULL THEN ' in ' || first.waits_in || coalesce(' of ' || first.module, '') ELSE '' END, CASE WHEN times > 1 THEN format(', {} reports', times) ELSE '' END) AS summary,
       evidence, "at", until, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, CASE WHEN first.weight = 4 THEN 'warning' ELSE 'critical' END AS severity,
       CASE WHEN first.module IN ('nfs', 'nfsv4', 'nfsv3', 'sunrpc', 'lustre', 'ptlrpc', 'osc', 'mdc', 'ceph', 'fuse', 'cifs', 'mmfs26', 'mmfslinux') OR regexp_matches(first.waits_in, '^(nfs|rpc_|ll_|ldlm_|fuse_|ceph_|cifs_)')
            THEN 'The task waits for a file server (' || coalesce(first.module, first.waits_in) || '): look at that server and the network to it, not at this host.' END AS action,
       CASE WHEN EXISTS (FROM kernel_event_of_boot p WHERE p.kind = 'panic' AND p.host IS NOT DISTINCT FROM grouped.host AND regexp_matches(p.message, 'hung_task|lockup|LOCKUP|RCU Stall'))
            THEN ['hang', 'network.peer_lost', 'perf.slowdown', 'host.kernel_panic'] END AS explains,
       first.kind AS kind, first.process AS process, processes, first.pid AS pid, seconds, first.device AS device, first.waits_in AS waits_in, first.module AS module, kinds, times
FROM grouped
