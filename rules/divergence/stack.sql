/*
title = "A minority of ranks stands at another place in the code"
severity = "critical"
confidence = "probable"
status = "stable"
about = """
The main threads of all ranks are compared by their path of calls, from the outside in, without wrappers and helper threads.
Most wait at one place (a collective, a store, a lock) and a few stand elsewhere. Where the few also wait for their peers,
neither side is late: ranks took different ways through the program. Two snapshots in which nothing moves make it sure.
"""
remedy = "Look at the first frame where the minority leaves the path of the others, and at the condition before it (rank, data, exception, early exit): every rank must reach the same collectives in the same order. Take a second dump 30 seconds later: what moves is only slow."
falsely = "One snapshot of a healthy job can catch a rank at its own duty (data, logging) while the others wait for it."
references = ["https://github.com/benfred/py-spy", "https://docs.pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications"]
*/
SELECT
  CASE WHEN v.ranks IS NULL THEN 'Process ' || array_to_string(v.pids, ', ') ELSE CASE WHEN len(v.ranks) = 1 THEN 'Rank ' ELSE 'Ranks ' END || ranges(v.ranks) END
    || coalesce(' (' || nullif(array_to_string(list_concat(coalesce(v.hosts, []), CASE WHEN len(v.pids) = 1 AND v.ranks IS NOT NULL THEN ['pid ' || v.pids[1]] ELSE [] END), ', '), '') || ')', '')
    || CASE WHEN v.failures = ['absent'] THEN ' has no dump'
            WHEN v.function IS NULL THEN ' could not be dumped (' || CASE v.failures[1] WHEN 'stopped' THEN 'stopped, state T' WHEN 'no_answer' THEN 'no answer' ELSE 'uninterruptible' END || ')'
            WHEN v.mixed THEN ': ' || coalesce(v.failed_ranks, 'one') || ' could not be dumped (' || CASE v.failures[1] WHEN 'stopped' THEN 'stopped, state T' WHEN 'no_answer' THEN 'no answer' ELSE 'uninterruptible' END
              || '), ' || coalesce(v.standing_ranks, 'another') || ' in ' || v.frame || ','
            ELSE CASE WHEN v.suspects = 1 THEN ' stands in ' ELSE ' stand in ' END || v.frame END
    || CASE WHEN v.waiting = 1 THEN ' while 1 other waits in ' ELSE ' while ' || v.waiting || ' others wait in ' END || v.waiting_function
    || CASE WHEN v.watched THEN '; its watchdog had seen no progress' WHEN v.still AND v.suspect.status LIKE 'active%' THEN '; the same line in the last two dumps, which a loop would show too (--locals tells)' WHEN v.still THEN '; nothing moved between the last two dumps' ELSE '' END
    || CASE WHEN v.guessed AND v.ranks IS NOT NULL THEN ' (ranks guessed from the order of pids or hosts)' ELSE '' END || '.' AS summary,
  list_concat(list_concat(coalesce(v.lines, []), coalesce(v.heads, [])), v.waiting_lines[:4]) AS evidence,
  v.ranks, v.hosts, v.pids, v.world_size,
  CASE WHEN v.failures = ['absent'] OR v.passing OR v.guessed AND v.ranks IS NULL THEN 'possible' WHEN v.still OR v.timed_out OR v.failures IS NOT NULL THEN 'probable' WHEN v.processes <= 2 THEN 'possible' ELSE 'probable' END AS confidence,
  v.function AS minority_function, v.frame AS minority_frame, v.suspect.decided.f AS minority_call, v.suspect.class AS position_class, v.suspect.status AS minority_status, v.suspect.awaits AS minority_waiting_for,
  v.suspect.own.f || ' (' || v.suspect.own.p || ')' AS minority_place, v.suspect.top.f AS minority_top_function,
  v.suspect.step AS minority_step, v.waiting_step AS majority_step,
  v.waiting_function AS majority_function, v.waiting_top_function AS waiting_function, v.waiting_frame AS majority_frame, v.waiting_ranks,
  CASE WHEN list_contains(v.failures, 'stopped') THEN 'T (stopped)' WHEN list_contains(v.failures, 'no_stack') THEN 'D (uninterruptible)'
       WHEN list_contains(v.failures, 'no_answer') THEN 'T (stopped), D (uninterruptible) or gone' END AS process_state,
  v.failed_pids[1] AS failed_dump_pid, (SELECT pid_of_rank FROM stack_pid_of_rank) AS pid_of_rank, v.still AS stands_still,
  a.last_step AS last_step_logged, a.last_step + 1 AS step
FROM stack_verdict AS v LEFT JOIN stack_aftermath AS a ON a.last_step IS NOT NULL
UNION ALL BY NAME
-- Dumps in which nobody stands apart are context worth a line.
SELECT 'Stacks of ' || count(*) || CASE WHEN count(*) = 1 THEN ' process' ELSE ' processes' END || ' were dumped'
    || CASE WHEN max(snapshots) > 1 THEN ', up to ' || max(snapshots) || ' times each' ELSE '' END || ': '
    || CASE WHEN bool_or(moved) OR (SELECT goes_on FROM stack_aftermath) THEN 'positions move, the program works.'
            WHEN bool_or(role = 'driver') AND bool_and(class IN ('idle-service', 'answer-wait')) THEN trim(any_value(process) FILTER (role = 'driver')) || ' waits for an answer (' || any_value(decided.f) FILTER (role = 'driver') || ')'
              || CASE WHEN count(*) > 1 THEN ', its workers for the next request: the answer is on its way or lost. Only the same some minutes later, without a token in the log, says which.' ELSE '.' END
            WHEN bool_and(class = 'idle-service') THEN CASE WHEN count(*) = 1 THEN 'it is' ELSE 'all are' END || ' idle, in ' || array_to_string(list_sort(list(DISTINCT decided.f))[:3], ', ') || ', waiting for ' || any_value(awaits) || '.'
            WHEN count(*) = 1 THEN 'it stands in ' || coalesce(any_value(decided.f), any_value(top.f), any_value(innermost), 'an unknown place') || coalesce(', waiting for ' || any_value(awaits), '') || '.'
            WHEN bool_and(class = 'data-wait') THEN 'all wait for their data loader: its workers or the storage are the place to look at (py-spy dump --subprocesses, twice).'
            WHEN count(DISTINCT place) = 1 AND bool_and(peer) THEN 'all wait at the same place, ' || array_to_string(list_sort(list(DISTINCT decided.f)), ' or ') || '; stacks do not tell who is missing.'
            WHEN count(DISTINCT place) = 1 AND count(DISTINCT coalesce(decided.f, top.f, innermost)) <= 1 THEN 'all stand at the same place, ' || coalesce(any_value(decided.f), any_value(top.f), any_value(innermost), 'unknown') || coalesce(', called from ' || any_value(own.f || ' (' || own.p || coalesce(':' || own.n, '') || ')'), '') || '.'
            ELSE 'no rank stands apart in a way that proves a hang.' END AS summary,
  'info' AS severity, list(line_at(file_id, thread_line) ORDER BY rank, pid)[:6] AS evidence,
  list(rank ORDER BY rank) FILTER (rank IS NOT NULL AND NOT rank_guessed) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, list(pid ORDER BY rank, pid) FILTER (pid IS NOT NULL) AS pids,
  (SELECT world_size FROM stack_world) AS world_size, max(snapshots) AS snapshots, any_value(class) FILTER (n = 1) AS position_class, any_value(innermost) FILTER (n = 1) AS top_frame,
  any_value(decided.f) FILTER (n = 1) AS waiting_function, any_value(own.f) FILTER (n = 1) AS own_function, any_value(cmdline) FILTER (n = 1) AS cmdline,
  (SELECT pid_of_rank FROM stack_pid_of_rank) AS pid_of_rank,
  mode(coalesce(decided.f, top.f)) AS majority_function,
  CASE WHEN bool_or(moved) OR (SELECT goes_on FROM stack_aftermath) OR bool_and(class = 'idle-service') THEN true END AS healthy
FROM (SELECT *, count(*) OVER () AS n FROM stack_context
      -- Beside the ranks of a job its drivers and servers say nothing of a hang.
      WHERE of_job OR role = 'driver' OR (SELECT count(*) FROM stack_context WHERE of_job) < 2)
WHERE NOT EXISTS (FROM stack_verdict)
HAVING count(*) > 0
UNION ALL BY NAME
-- What the GPUs do, by cuda-gdb.
SELECT 'On the GPUs of ' || CASE WHEN count(DISTINCT file_id) = 1 THEN 'one process' ELSE count(DISTINCT file_id) || ' processes' END || ' cuda-gdb shows ' || array_to_string(list_sort(list(DISTINCT kernel))[:4], ', ')
    || CASE WHEN bool_and(kernel LIKE 'nccl%' OR kernel LIKE 'rccl%') THEN ': kernels of collectives, which wait for their peers.' WHEN bool_or(kernel LIKE 'nccl%' OR kernel LIKE 'rccl%') THEN ': who runs another kernel than NCCL''s keeps the others waiting.' ELSE '.' END AS summary,
  'info' AS severity, list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:6] AS evidence
FROM gpu_kernel WHERE state = 'Active' HAVING count(*) > 0
