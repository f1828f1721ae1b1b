-- What the last dumps of all ranks say together. Being elsewhere is no incident: the others must wait, and nothing may have
-- moved between two snapshots. One row per job at most; the rules divergence.stack, hang.dataloader, hang.checkpoint and the
-- view missing_rank_stacks read it.

-- Is a dump the second look at its process? People take the text and the JSON of one moment: those are one look, unless their times tell.
CREATE TABLE stack_again AS
SELECT dump, bool_or(again) OVER (PARTITION BY process ORDER BY snapshot) AS seen_before
FROM (
  SELECT dump, process, snapshot, coalesce(row_number() OVER (PARTITION BY process, is_json ORDER BY snapshot) > 1 OR time - lag(time) OVER (PARTITION BY process ORDER BY snapshot) >= INTERVAL 5 SECOND, false) AS again
  FROM stack_main WHERE failure IS NULL);

-- The last dump of every process that is (or may be) a rank, with what its earlier dumps say of movement.
CREATE TABLE stack_rank AS
WITH usable AS (
  SELECT *, lag(own_key) OVER w AS before_own, lag(full_key) OVER w AS before_full, seen_before
  FROM (FROM stack_main QUALIFY path IS NOT NULL OR count(path) OVER (PARTITION BY process) = 0) JOIN stack_again USING (dump) WHERE failure IS NULL AND source_kind <> 'backtrace'
  WINDOW w AS (PARTITION BY process ORDER BY snapshot)
), compared AS (
  SELECT * EXCLUDE (seen_before), CASE WHEN own_key <> before_own OR (class IN ('compute', 'compile') AND full_key <> before_full) THEN true WHEN seen_before THEN false END AS moved FROM usable
), last_dump AS (
  SELECT * FROM compared QUALIFY row_number() OVER (PARTITION BY process ORDER BY snapshot DESC) = 1
), failed AS (
  SELECT * FROM stack_main WHERE failure IN ('stopped', 'no_answer', 'no_stack') QUALIFY row_number() OVER (PARTITION BY process ORDER BY snapshot DESC) = 1
), every AS (
  SELECT l.* EXCLUDE (failure, failure_line, before_own, before_full), f.failure, f.failure_line, f.file_id AS failure_file, f.line_no AS failure_head
  FROM last_dump AS l LEFT JOIN failed AS f ON f.process = l.process AND f.snapshot > l.snapshot
  UNION ALL BY NAME
  SELECT *, file_id AS failure_file, line_no AS failure_head FROM failed ANTI JOIN last_dump USING (process)
), pid_by_rank AS (SELECT rank, min(pid) AS pid, min(host) AS host FROM stack_known_rank GROUP BY rank HAVING count(DISTINCT pid) = 1)
SELECT e.* REPLACE (coalesce(e.pid, k.pid) AS pid, coalesce(e.host, k.host) AS host),
  e.failure IS NOT NULL AS failed,
  -- A worker of a serving engine that stands in its idle loop waits for the others' next step.
  e.failure IS NULL AND (e.waits_for_peers OR e.role = 'service') AS peer,
  -- A watchdog dumps what has not moved for minutes.
  e.failure IS NULL AND (e.moved IS NOT DISTINCT FROM false OR e.watched AND e.moved IS NULL) AS still,
  -- Ordinary work, as long as nothing proves that it stands: a sample says nothing of how long.
  e.failure IS NULL AND NOT e.waits_for_peers AND e.role = 'rank' AND coalesce(e.moved, NOT e.watched)
    AND (e.class IN ('compute', 'compile', 'checkpoint-io', 'idle-service', 'helper', 'none', 'unknown', 'wait') OR coalesce(e.status LIKE 'active%', false)) AS soft
FROM every AS e LEFT JOIN pid_by_rank AS k ON k.rank = e.rank
WHERE (e.role = 'rank' OR e.role = 'service' AND (e.moved IS NOT DISTINCT FROM false OR e.watched) AND e.rank IS NOT NULL)
  AND (e.rank IS NOT NULL OR NOT EXISTS (FROM stack_main WHERE role = 'rank' AND rank IS NOT NULL));

-- only with stack_thread, stack_frame, stack_failure, stack_python
CREATE TABLE stack_world AS
SELECT greatest(
  (SELECT max(rank) + 1 FROM stack_rank), (SELECT max(rank) + 1 FROM stack_known_rank), (SELECT max(world_size) FROM stack_partial),
  (SELECT max(world_size) FROM identity WHERE learnt_from = 'rank and pid in a line'), (SELECT max(world_size) FROM stack_main), (SELECT count(*) FROM stack_rank)) AS world_size;

-- The last dump of every worker of a data loader, with the place it stands at. A lock that it wants shows that it stands in a single dump.
CREATE TABLE stack_worker AS
SELECT process, pid, host, file_id, thread_line, status, own.f AS function, own.f || ' (' || own.p || ')' AS place, own.line AS own_line, moved,
  NOT in_queue_get AND coalesce(status, 'idle') NOT LIKE 'active%' AND own IS NOT NULL AND coalesce(NOT moved, true) AS stuck,
  worker_wants_lock AS wants_lock
FROM (
  SELECT *, CASE WHEN lag(own_key) OVER w <> own_key THEN true WHEN seen_before THEN false END AS moved, row_number() OVER (PARTITION BY process ORDER BY snapshot DESC) AS back
  FROM stack_main JOIN stack_again USING (dump) WHERE role = 'loader worker' AND failure IS NULL WINDOW w AS (PARTITION BY process ORDER BY snapshot))
WHERE back = 1;

-- Every dumped rank waits for its data loader, so that nobody stands apart. It is no hang before the workers are seen to stand: by
-- two dumps in which none of them moves, or by locks that they want.
-- only with stack_thread, stack_frame, stack_failure, stack_python
CREATE TABLE stack_starved AS
WITH ranks AS (
  SELECT count(*) AS n, list(rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, list(pid ORDER BY rank, pid) FILTER (pid IS NOT NULL) AS pids,
    list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts, any_value(decided.f) AS waiting_function, bool_or(rank_guessed) AS guessed,
    list({'file_id': file_id, 'line_no': coalesce(decided.line, thread_line)} ORDER BY rank, pid) AS lines
  FROM stack_rank HAVING count(*) > 0 AND bool_and(class = 'data-wait' AND NOT failed AND NOT coalesce(moved, false))
), workers AS (
  SELECT count(*) AS n, count(*) FILTER (stuck) AS stuck, count(*) FILTER (stuck AND wants_lock) AS locked, coalesce(bool_and(moved IS NOT DISTINCT FROM false), false) AS still,
    list(pid ORDER BY pid) FILTER (stuck AND pid IS NOT NULL) AS worker_pids, mode(function) FILTER (stuck) AS worker_function, mode(place) FILTER (stuck) AS worker_place,
    list({'file_id': file_id, 'line_no': coalesce(own_line, thread_line)} ORDER BY pid) FILTER (stuck) AS worker_lines
  FROM stack_worker
)
SELECT r.*, w.* EXCLUDE (n, stuck), w.n AS workers, w.stuck
FROM ranks AS r, workers AS w
WHERE w.stuck = w.n AND (w.locked = w.n AND w.n >= 1 OR w.still AND w.n >= 2) AND NOT coalesce((SELECT goes_on FROM stack_aftermath), false);

-- Did training go on after the last dumps? Then what they show was passing. A job that was restarted starts at a lower step.
-- only with stack_thread, stack_frame, stack_failure, stack_python
CREATE TABLE stack_aftermath AS
WITH step AS (
  SELECT file_id, line_no, time, at_step, time - lag(time) OVER (PARTITION BY file_id ORDER BY line_no) AS pause FROM training_line WHERE at_step IS NOT NULL
), last_dump AS (SELECT max(time) AS "at" FROM stack_rank WHERE time IS NOT NULL),
last_line AS (SELECT file_id, max(thread_line) AS line_no FROM stack_main WHERE role = 'rank' GROUP BY file_id)
SELECT max(at_step)::BIGINT AS last_step,
  coalesce(count(*) FILTER (time > d."at" + INTERVAL 1 SECOND AND time <= d."at" + greatest(INTERVAL 30 SECOND, 3 * (SELECT median(epoch(pause)) FROM step) * INTERVAL 1 SECOND)) > 0, false)
    OR EXISTS (FROM last_line AS l JOIN step AS s ON s.file_id = l.file_id AND s.line_no > l.line_no
               WHERE s.at_step > (SELECT max(b.at_step) FROM step AS b WHERE b.file_id = l.file_id AND b.line_no < l.line_no)) AS goes_on
FROM step, last_dump AS d;

-- only with stack_thread, stack_frame, stack_failure, stack_python
CREATE TABLE stack_verdict AS
WITH p AS (
  SELECT *, coalesce(decided.f, '') AS decided_function,
    -- Left the loop: it waits at the end of the program or in a barrier, and will not come to where the others are.
    list_transform(coalesce(own_path, []), lambda x: regexp_replace(x, ':[0-9]+\)$', ')')) AS own_calls
  FROM stack_rank
), job AS (
  SELECT count(*) AS n, count(*) FILTER (peer) AS waiting, count(*) FILTER (failed) AS failing, count(*) FILTER (soft) AS soft,
    count(*) FILTER (NOT failed AND NOT peer AND NOT soft) AS hard, coalesce(bool_or(moved AND NOT failed), false) OR coalesce((SELECT goes_on FROM stack_aftermath), false) AS alive,
    bool_or(peer AND class = 'p2p-wait') AS pipeline, count(*) FILTER (rank IS NOT NULL) AS ranked, bool_or(rank_guessed) AS guessed,
    count(*) FILTER (peer AND class = 'gpu-sync' AND NOT still) AS loose, bool_and(role = 'service') AS idle
  FROM p
), place AS (
  SELECT place, class, count(*) AS n, any_value(own_path) AS own_path FROM p WHERE NOT failed AND NOT soft GROUP BY place, class
), crowd AS (
  -- Where most wait: among those who wait for peers, else (a file lock, say) where most stand.
  SELECT place.place, place.class, place.n, p.role, p.own_calls, p.own_path, p.decided_function AS function, p.top.f AS top_function
  FROM place JOIN p ON p.place = place.place AND p.class = place.class AND NOT p.failed
  ORDER BY p.peer DESC, place.n DESC, p.rank LIMIT 1
), mass AS (
  SELECT place.place, place.class, place.n, p.decided_function AS function, p.top.f AS top_function
  FROM place JOIN p ON p.place = place.place AND p.class = place.class AND NOT p.failed ORDER BY place.n DESC, p.rank LIMIT 1
), absent AS (
  SELECT r.rank, k.pid, k.host
  FROM (SELECT unnest(range((SELECT world_size FROM stack_world))) AS rank) AS r ANTI JOIN (SELECT rank FROM stack_main WHERE rank IS NOT NULL) AS d ON d.rank = r.rank
  LEFT JOIN (SELECT rank, min(pid) AS pid, min(host) AS host FROM stack_known_rank GROUP BY rank) AS k ON k.rank = r.rank
), other AS (
  -- Also waiting for peers, but elsewhere.
  SELECT p.*, c.function AS crowd_function,
    p.decided_function IN ('barrier', 'monitored_barrier', 'wait_for_everyone', 'destroy_process_group', 'sync_global_devices') AND p.decided_function <> c.function
      -- It parts from the crowd at a later line of the same function.
      AND coalesce((
        SELECT try_cast(regexp_extract(p.own_path[i], ':([0-9]+)\)$', 1) AS BIGINT) > try_cast(regexp_extract(c.own_path[i], ':([0-9]+)\)$', 1) AS BIGINT)
        FROM (SELECT min(i) AS i FROM (SELECT unnest(range(1, greatest(len(p.own_path), len(c.own_path)) + 1)) AS i) WHERE p.own_path[i] IS DISTINCT FROM c.own_path[i])
        WHERE p.own_calls[i] = c.own_calls[i]), false) AS left_loop,
    -- The root of a broadcast or a gather comes to it by a call of its own: through other functions, or the other branch of one `if`.
    p.decided_function = c.function AND regexp_matches(c.function, '^(?:broadcast|scatter|gather|reduce|send|recv)(?:_|$)')
      AND (p.own_calls IS DISTINCT FROM list_transform(coalesce(c.own_path, []), lambda x: regexp_replace(x, ':[0-9]+\)$', ')')) OR coalesce((
        SELECT max(abs(try_cast(regexp_extract(p.own_path[i], ':([0-9]+)\)$', 1) AS BIGINT) - try_cast(regexp_extract(c.own_path[i], ':([0-9]+)\)$', 1) AS BIGINT)))
        FROM (SELECT unnest(range(1, len(p.own_path) + 1)) AS i)), 0) <= 10) AS may_be_root
  -- The rank that serves the store waits for its clients; idle workers of an engine may be idle at different places.
  FROM p, crowd AS c WHERE p.peer AND p.place <> c.place AND NOT (p.class = 'store-wait' AND c.class IN ('store-wait', 'init')) AND NOT (p.role = 'service' AND c.role = 'service')
), judged AS (
  SELECT CASE
      WHEN job.alive OR job.idle THEN NULL
      -- A process that is stopped or does not answer, while at least one other waits for it.
      WHEN failing > 0 AND waiting >= 1 AND failing <= waiting AND hard <= waiting THEN 'failed'
      WHEN soft > 0 THEN NULL
      WHEN hard > 0 AND waiting > 0 AND (hard < waiting OR (hard = 1 AND waiting = 1)) AND (2 * (SELECT n FROM crowd) >= waiting OR pipeline OR loose > 0) THEN 'hard'
      WHEN hard = 0 AND failing = 0 AND waiting = n AND NOT pipeline AND loose = 0 AND (SELECT count(*) FROM other) > 0
        AND ((SELECT n FROM crowd) > (SELECT count(*) FROM other) OR n = 2) AND n >= 2 AND NOT (SELECT count(*) = 1 AND bool_and(may_be_root) FROM other) THEN 'other'
      -- Nobody waits in a collective: only of processes that are known to be ranks of one job is it said that they should stand alike.
      WHEN hard > 0 AND (NOT guessed OR (SELECT class FROM mass) = 'file-lock') AND (SELECT n FROM mass) >= 2 AND 3 * (SELECT n FROM mass) >= 2 * n AND (SELECT n FROM mass) < n
        AND (SELECT class FROM mass) IN ('file-lock', 'lock-wait', 'blocked', 'network-read', 'sleep', 'data-load') THEN 'mass'
      WHEN hard = 0 AND failing = 0 AND waiting = n AND n >= 2 AND n = ranked AND NOT guessed AND (SELECT count(*) FROM absent) BETWEEN 1 AND greatest((n - 1) // 2, 1)
        -- A dumped process that is taken for a helper may be the one.
        AND NOT EXISTS (FROM stack_main WHERE role IN ('helper', 'pool worker', 'driver', 'other')) THEN 'absent'
    END AS found, job.*
  FROM job
), suspect AS (
  SELECT p.process, p.rank, p.pid, p.host, p.file_id, p.thread_line, p.failure_file, p.failure_line, p.failure_head, p.failure, p.class, p.status, p.awaits, p.own, p.top, p.innermost,
    p.decided, p.step, p.still, p.watched, p.occasion, p.place, false AS left_loop
  FROM p, judged AS j
  WHERE (j.found = 'failed' AND (p.failed OR (j.soft = 0 AND NOT p.peer))) OR (j.found = 'hard' AND NOT p.peer) OR (j.found = 'mass' AND p.place || p.class <> (SELECT place || class FROM mass))
  UNION ALL BY NAME
  SELECT process, rank, pid, host, file_id, thread_line, failure, class, status, awaits, own, top, innermost, decided, step, still, watched, occasion, place, left_loop
  FROM other, judged AS j WHERE j.found = 'other'
  UNION ALL BY NAME
  SELECT 'rank ' || a.rank AS process, a.rank, a.pid, a.host, 'absent' AS failure FROM absent AS a, judged AS j WHERE j.found = 'absent'
), rest AS (
  SELECT p.*, CASE WHEN p.decided_function = '' THEN coalesce(p.top.f, p.innermost) ELSE p.decided_function END AS function
  FROM p, judged AS j WHERE j.found IS NOT NULL AND NOT p.failed AND NOT EXISTS (FROM suspect AS s WHERE s.process = p.process)
), told AS (
  SELECT list(rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, list(pid ORDER BY rank, pid) FILTER (pid IS NOT NULL) AS pids, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
    count(*) AS n, bool_and(left_loop) AS left_loop, bool_and(coalesce(still, false)) AS still, coalesce(bool_or(watched), false) AS watched, list_sort(list(DISTINCT class) FILTER (failure IS NULL)) AS classes,
    list_sort(list(DISTINCT failure) FILTER (failure IS NOT NULL)) AS failures,
    list(pid ORDER BY rank, pid) FILTER (failure IS NOT NULL AND failure <> 'absent' AND pid IS NOT NULL) AS failed_pids,
    ranges(list(rank ORDER BY rank) FILTER (failure IS NOT NULL AND rank IS NOT NULL)) AS failed_ranks, ranges(list(rank ORDER BY rank) FILTER (failure IS NULL AND rank IS NOT NULL)) AS standing_ranks,
    bool_or(failure IS NOT NULL) AND bool_or(failure IS NULL) AS mixed,
    arg_min({'status': status, 'awaits': awaits, 'own': own, 'top': top, 'innermost': innermost, 'decided': decided, 'class': class, 'step': step, 'occasion': occasion}, coalesce(rank, pid, 0)) FILTER (failure IS NULL) AS first,
    list(DISTINCT file_id) AS files,
    list({'file_id': coalesce(failure_file, file_id), 'line_no': coalesce(failure_head, thread_line)} ORDER BY rank, pid) FILTER (coalesce(failure_file, file_id) IS NOT NULL) AS heads,
    list({'file_id': coalesce(failure_file, file_id), 'line_no': coalesce(failure_line, own.line, top.line)} ORDER BY rank, pid) FILTER (coalesce(failure_line, own.line, top.line) IS NOT NULL) AS lines
  FROM suspect
), waiters AS (
  SELECT list(rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, count(*) AS n, mode(function) AS function, mode(top.f) AS top_function, mode(own.f || ' (' || own.p || ')') AS frame,
    bool_and(still) AS still, max(step) AS step, mode(class) AS class, mode(awaits) AS awaits, bool_or(occasion LIKE 'Timeout%') AS timed_out,
    list({'file_id': file_id, 'line_no': coalesce(decided.line, top.line, thread_line)} ORDER BY rank, pid) AS lines
  FROM rest WHERE NOT soft
)
SELECT j.found,
  CASE WHEN j.found = 'mass' OR (j.found = 'other' AND NOT t.left_loop) THEN 'divergence'
       WHEN t.failures IS NULL AND t.classes = ['data-wait'] THEN 'dataloader'
       WHEN t.failures IS NULL AND t.classes = ['checkpoint-io'] THEN 'checkpoint'
       ELSE 'missing' END AS kind,
  CASE WHEN j.found = 'other' AND j.n = 2 THEN list_sort(list_concat(t.ranks, w.ranks)) ELSE t.ranks END AS ranks,
  t.pids, t.hosts, t.n AS suspects, t.left_loop, t.failures, t.failed_pids, t.mixed, t.failed_ranks, t.standing_ranks, t.classes, t.first AS suspect, t.heads, t.lines, t.still AND w.still AS still, t.watched, w.timed_out,
  -- Rank 0 talks to a server for all of them, or the others wait for the GPU, which may be at work: one dump does not tell for how long.
  (coalesce(t.ranks = [0] AND t.classes = ['network-read'], false) OR w.class = 'gpu-sync' AND NOT coalesce(w.timed_out, false)) AND t.failures IS NULL AND NOT (t.still AND w.still) AND NOT t.watched AS passing,
  w.n AS waiting, w.ranks AS waiting_ranks, w.function AS waiting_function, w.top_function AS waiting_top_function, w.frame AS waiting_frame, w.class AS waiting_class,
  w.awaits, w.lines AS waiting_lines, w.step AS waiting_step, j.n AS processes, j.guessed, (SELECT world_size FROM stack_world) AS world_size,
  CASE WHEN t.first.class IN ('data-wait', 'idle-service') THEN t.first.decided.f ELSE coalesce(t.first.own.f, t.first.top.f, t.first.innermost) END AS function,
  coalesce(CASE WHEN t.first.class = 'idle-service' THEN t.first.decided.f || ', its idle loop,' END, t.first.own.f || ' (' || t.first.own.p || coalesce(':' || t.first.own.n, '') || ')',
    CASE WHEN t.first.class IN ('data-wait', 'wait') THEN t.first.decided.f END, t.first.top.f || ' (' || t.first.top.p || ')', t.first.innermost) AS frame
FROM judged AS j, told AS t, waiters AS w WHERE j.found IS NOT NULL AND t.n > 0 AND w.n > 0;

-- rank -> pid of the whole job, in order of ranks; NULL where a pid is not known.
-- only with stack_thread, stack_frame, stack_failure, stack_python
CREATE TABLE stack_pid_of_rank AS
SELECT list(pid ORDER BY rank) AS pid_of_rank FROM (
  SELECT rank, coalesce(max(d_pid), min(k_pid)) AS pid FROM (
    SELECT rank, pid AS d_pid, NULL AS k_pid FROM stack_rank WHERE rank IS NOT NULL
    UNION ALL SELECT rank, NULL, pid FROM stack_known_rank WHERE rank IS NOT NULL AND EXISTS (FROM stack_rank))
  GROUP BY rank)
HAVING count(*) > 0 AND count(*) = count(pid);

-- Ranks that are not where the others wait: what stacks say for hang.missing_rank.
CREATE VIEW missing_rank_stacks AS
SELECT 'stacks' AS source, ranks, hosts, pids, NULL::VARCHAR AS grp, NULL::BIGINT AS seq, NULL::VARCHAR AS op, 'host' AS side, 'outside' AS place,
  CASE WHEN failures = ['absent'] OR passing OR processes <= 2 AND failures IS NULL AND NOT coalesce(still, false) AND NOT coalesce(timed_out, false) AND NOT watched THEN 'possible' WHEN list_contains(failures, 'stopped') AND NOT mixed THEN 'definite' ELSE 'probable' END AS grade,
  NULL::TIMESTAMP AS at,
  CASE WHEN failures = ['absent'] THEN 'no dump of it, while the dumped ranks all wait'
       WHEN mixed THEN coalesce('rank ' || failed_ranks, 'one process') || CASE WHEN list_contains(failures, 'stopped') THEN ' is stopped (state T)' WHEN list_contains(failures, 'no_answer') THEN ' did not answer' ELSE ' could not be dumped (uninterruptible)' END
         || ', ' || coalesce('rank ' || standing_ranks, 'another') || ' stands in ' || frame || ', while ' || others || waiting_function
       WHEN list_contains(failures, 'stopped') THEN 'the process is stopped (state T), while ' || others || waiting_function
       WHEN list_contains(failures, 'no_answer') THEN 'it did not answer, while ' || others || waiting_function
       WHEN list_contains(failures, 'no_stack') THEN 'its stack could not be read (uninterruptible), while ' || others || waiting_function
       WHEN left_loop THEN CASE WHEN suspects = 1 THEN 'it left the loop and waits in ' ELSE 'they left the loop and wait in ' END || frame || ', ' || others || waiting_function
       ELSE CASE WHEN suspects = 1 THEN 'it stands in ' ELSE 'they stand in ' END || frame || coalesce(', waiting for ' || suspect.awaits, '') || ', while ' || others || waiting_function END AS said,
  list_concat(coalesce(lines, heads, []), waiting_lines[:3]) AS evidence
FROM (SELECT *, CASE WHEN waiting = 1 THEN '1 other waits in ' ELSE waiting || ' others wait in ' END AS others FROM stack_verdict) WHERE kind = 'missing';

-- Every process worth a word, for the case that nothing stands apart.
CREATE VIEW stack_context AS
SELECT r.process, true AS of_job, r.role, r.rank, r.rank_guessed, r.host, r.pid, r.file_id, r.thread_line, r.snapshots, r.class, r.awaits, r.decided, r.top, r.own, r.place, r.innermost, r.cmdline, r.moved, r.peer FROM stack_rank AS r WHERE NOT r.failed
UNION ALL BY NAME
SELECT process, false AS of_job, role, rank, rank_guessed, host, pid, file_id, thread_line, snapshots, class, awaits, decided, top, own, place, innermost, cmdline, NULL AS moved, false AS peer FROM stack_main
WHERE (role IN ('service', 'driver', 'other') OR source_kind = 'backtrace') AND failure IS NULL AND process NOT IN (SELECT process FROM stack_rank WHERE NOT failed)
QUALIFY row_number() OVER (PARTITION BY process ORDER BY snapshot DESC) = 1;
