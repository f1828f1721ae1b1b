-- Who is missing, by every source that can tell. Fixed shape: source, ranks, hosts, pids, grp, seq, op, side, place, grade, at, said, evidence.

-- Members of groups that left no dump, and of which no watchdog says that they wait: gone, not come, or their dump could not be written or was
-- not copied. That alone names nobody.
CREATE VIEW flight_undumped AS
SELECT DISTINCT rank FROM (SELECT unnest(members) AS rank FROM flight_members)
ANTI JOIN (SELECT rank FROM flight_dump UNION SELECT rank FROM file WHERE grammar = 'flight_recorder' UNION SELECT rank FROM c10d_timeout_once WHERE said_by = 'watchdog') USING (rank);

CREATE VIEW missing_rank_progress AS
WITH undumped AS (  -- of use where few dumps are lost, and of ranks that belong where the others wait
  SELECT ranges(list(rank)) AS ranks FROM flight_undumped
  HAVING count(*) BETWEEN 1 AND greatest(1, (SELECT count(*) FROM flight_rank) // 8)
    AND list_has_all((SELECT flatten(list(m.members)) FROM flight_members m JOIN (SELECT grp_key FROM rank_wait WHERE source = 'flight_recorder' UNION SELECT grp_key FROM rank_suspect WHERE source = 'flight_recorder') w USING (grp_key)), list(rank)))
SELECT s.source, list_sort(list(DISTINCT s.rank)) AS ranks, list_distinct(list(s.host) FILTER (s.host IS NOT NULL)) AS hosts, []::BIGINT[] AS pids,
  coalesce(nullif(arg_min(s.grp_desc, s.rank), ''), arg_min(s.grp, s.rank), arg_min(s.grp_key, s.rank)) AS grp, arg_min(s.seq, s.rank) AS seq, arg_min(s.op, s.rank) AS op,
  CASE WHEN s.source = 'flight_recorder' AND count(DISTINCT s.side) = 1 THEN any_value(s.side) END AS side,
  CASE WHEN bool_and(coalesce(s.enqueued, 0) <= 0) THEN 'outside' WHEN bool_and(s.side = 'device') THEN 'inside' ELSE 'outside' END AS place,
  CASE WHEN bool_or(s.clear) AND NOT (s.source = 'watchdog' AND bool_and(s.rank IN (SELECT rank FROM c10d_timeout_once)) AND 4 * count(DISTINCT s.rank) > (SELECT count(DISTINCT rank) FROM rank_progress p WHERE p.source = 'watchdog'))
    THEN 'probable' ELSE 'possible' END AS grade,  -- of two that wait in different operations either may be the one that went another way
  bool_or(s.clear) AS sure,
  coalesce((SELECT min(p.time) FROM rank_progress p WHERE p.source = s.source AND p.state = 'waiting'), min(s.time)) AS "at",
  CASE s.source WHEN 'flight_recorder' THEN 'Flight Recorder' ELSE 'the watchdogs'' counts' END || ': '
    || string_agg('rank ' || s.rank || ' enqueued ' || coalesce(s.enqueued::VARCHAR, 'nothing') || ', completed ' || coalesce(s.completed::VARCHAR, '?')
       || CASE WHEN s.seq IS NOT NULL THEN ', others wait in ' || s.seq ELSE '' END, '; ' ORDER BY s.rank)[:600]
    || CASE WHEN s.source = 'flight_recorder' THEN coalesce('. Rank ' || any_value(u.ranks) || ' left no dump: whether it stands as well can''t be told', '') ELSE '' END AS said,
  list({'file_id': s.file_id, 'line_no': s.line_no,
        'text': CASE WHEN s.source = 'flight_recorder' THEN 'rank ' || s.rank || ', group ' || coalesce(s.grp, '?') || coalesce(' ' || nullif(s.grp_desc, ''), '') || ': last enqueued '
          || coalesce(s.enqueued::VARCHAR, 'none') || ', last completed ' || coalesce(s.completed::VARCHAR, 'unknown') || coalesce(', last at ' || s.last_place, '') END} ORDER BY s.rank)
    FILTER (s.file_id IS NOT NULL) || flatten(list(s.waiting_lines))[:3] AS evidence
FROM rank_suspect s LEFT JOIN undumped u ON true
GROUP BY s.source
-- Where most of them look late, it is not they who are late.
HAVING 2 * count(DISTINCT s.rank) <= (SELECT count(DISTINCT rank) FROM rank_progress p WHERE p.source = s.source);

-- All that left a dump wait alike, and one or a few members left none: the only candidates.
CREATE VIEW missing_rank_no_dump AS
WITH waiting AS (
  SELECT p.* FROM rank_progress p
  WHERE p.source = 'flight_recorder' AND p.state = 'waiting' AND NOT p.point_to_point
  QUALIFY row_number() OVER (PARTITION BY p.rank ORDER BY p.record_id NULLS LAST, p.grp_key) = 1),
by_group AS (
  SELECT w.grp_key, any_value(w.grp) AS grp, any_value(w.grp_desc) AS grp_desc, min(w.waits_for) AS seq, any_value(w.op) AS op, any_value(m.members) AS members,
    count(DISTINCT w.rank) AS waiters, min(w.time) AS time, list(line_at(w.file_id, w.line_no) ORDER BY w.rank)[:5] AS evidence, list_sort(list(DISTINCT w.rank)) AS waiting
  FROM waiting w JOIN flight_members m USING (grp_key)
  GROUP BY w.grp_key HAVING min(w.waits_for) = max(w.waits_for)),
absent AS (
  SELECT g.*, ranges(g.waiting) AS waiting_ranks, list_intersect(g.members, u.ranks) AS ranks
  FROM by_group g CROSS JOIN (SELECT coalesce(list(rank), []) AS ranks FROM flight_undumped) u)
SELECT 'absent_dump' AS source, list_sort(list_distinct(flatten(list(ranks)))) AS ranks, []::VARCHAR[] AS hosts, []::BIGINT[] AS pids,
  coalesce(nullif(any_value(grp_desc), ''), any_value(grp)) AS grp, min(seq) AS seq, any_value(op) AS op, NULL::VARCHAR AS side, NULL::VARCHAR AS place, 'possible' AS grade,
  min(time) AS "at", 'every dump that is there waits in the same place, and that of rank ' || ranges(list_distinct(flatten(list(ranks)))) || ' is absent: it is gone, has not come, or could not write it' AS said,
  list({'file_id': evidence[1].file_id, 'line_no': evidence[1].line_no,
        'text': 'ranks ' || waiting_ranks || ' wait in group ' || coalesce(nullif(grp_desc, ''), grp, '?') || ', number ' || seq})[:5] AS evidence
FROM absent
WHERE len(ranks) BETWEEN 1 AND greatest(1, len(members) // 4) AND waiters >= 2 AND waiters > len(ranks)
  AND NOT EXISTS (FROM rank_suspect WHERE source = 'flight_recorder') AND NOT EXISTS (FROM collective_disagreement)
HAVING count(*) > 0;

-- monitored_barrier: rank 0 names them; without wait_all_ranks only the first.
CREATE VIEW missing_rank_barrier AS
WITH named AS (
  SELECT b.*, unnest(list_transform(regexp_extract_all(b.lagging, '[0-9]+'), lambda n: n::BIGINT)) AS missing FROM c10d_barrier b
  WHERE b.event = 'missing' AND coalesce(b.rank = b.group_rank, true))  -- in a smaller group the numbers are the group's own
SELECT 'monitored_barrier' AS source, list_sort(list(DISTINCT missing)) AS ranks, []::VARCHAR[] AS hosts, []::BIGINT[] AS pids, NULL::VARCHAR AS grp, NULL::BIGINT AS seq,
  'barrier' AS op, 'host' AS side, 'outside' AS place, 'definite' AS grade,
  min(time) - to_milliseconds(max(timeout_ms)) AS "at", 'monitored_barrier: rank 0 waited ' || max(timeout_ms) // 1000 || ' s for them' AS said,
  list_distinct(list(line_at(file_id, line_no))) AS evidence, max(timeout_ms) AS timeout_ms,
  (SELECT max(r) + 1 FROM (SELECT coalesce(rank, group_rank) AS r FROM c10d_barrier UNION SELECT missing FROM named
                           UNION SELECT rank FROM exit WHERE said_by = 'torchelastic' UNION SELECT rank FROM file WHERE rank IS NOT NULL)) AS world_size
FROM named HAVING count(*) > 0;

-- torch's own desync report.
CREATE VIEW missing_rank_desync AS
WITH named AS (
  SELECT d.*, unnest(list_transform(regexp_extract_all(d.lagging, '[0-9]+'), lambda n: n::BIGINT)) AS missing FROM c10d_desync d WHERE d.event IN ('never_joined', 'not_joined'))
SELECT 'desync_report' AS source, list_sort(list(DISTINCT missing)) AS ranks, []::VARCHAR[] AS hosts, []::BIGINT[] AS pids, NULL::VARCHAR AS grp,
  coalesce(min(next_seq), (SELECT min(collective_seq) FROM c10d_desync WHERE event = 'timeout')) AS seq, (SELECT any_value(op) FROM c10d_desync WHERE event = 'timeout') AS op,
  'host' AS side, CASE WHEN bool_and(event = 'never_joined') THEN 'init' ELSE 'outside' END AS place, 'probable' AS grade,
  min(time) AS "at", 'desync report: they did not join the collective' AS said, list_distinct(list(line_at(file_id, line_no))) AS evidence
FROM named HAVING count(*) > 0;

-- Ranks whose watchdogs gave up in the default group, and those that torch's communication layer heard anything of.
CREATE VIEW watchdog_waiter AS
SELECT * FROM c10d_timeout_once WHERE said_by = 'watchdog' AND coalesce(grp_desc, 'default_pg') = 'default_pg' AND coalesce(grp, '0') IN ('0', 'default_pg');

CREATE VIEW watchdog_loud AS
SELECT coalesce(rank, group_rank) AS rank FROM c10d_timeout_line WHERE said_by = 'watchdog' UNION SELECT coalesce(rank, group_rank) FROM c10d_status_line
UNION SELECT rank FROM c10d_heartbeat_line UNION SELECT rank FROM c10d_event;

-- Who was ended by its launcher had no time to speak.
CREATE VIEW ended_by_launcher AS
SELECT r.rank, l.file_id, l.line_no FROM launcher_event l JOIN rank r ON r.pid = l.target_pid WHERE l.event IN ('closing', 'forced', 'killing');

-- monitored_barrier, and rank 0 itself did not come: all others say that it did not answer.
CREATE VIEW missing_rank_barrier_root AS
WITH came AS (SELECT list_sort(list(DISTINCT group_rank)) AS ranks, min(time) AS time, list(line_at(file_id, line_no) ORDER BY group_rank)[:5] AS evidence FROM c10d_barrier WHERE event = 'echo' AND coalesce(rank = group_rank, true))
SELECT 'monitored_barrier' AS source, [0]::BIGINT[] AS ranks, 'barrier' AS op, 'outside' AS place, 'probable' AS grade, time AS "at",
  'monitored_barrier: ranks ' || ranges(ranks) || ' came, and rank 0 neither answered them nor said who is late' AS said, evidence
FROM came
WHERE len(ranks) >= 2 AND ranks = range(1, len(ranks) + 1) AND NOT EXISTS (FROM c10d_barrier WHERE event <> 'echo') AND NOT EXISTS (FROM exception WHERE rank = 0);

-- Ranks of which something can be heard here: those with a log of their own, those that a launcher or a line of identity names, and
-- the rest of the job where one log holds nearly all of it.
CREATE VIEW rank_heard AS
WITH told AS (
  SELECT rank FROM file WHERE rank IS NOT NULL AND lines > 0 AND reader = 'lines'
  UNION SELECT rank FROM rank WHERE rank IS NOT NULL
  UNION SELECT coalesce(rank, group_rank) FROM c10d_timeout_line WHERE said_by = 'watchdog' AND coalesce(rank, group_rank) IS NOT NULL
  UNION SELECT rank FROM c10d_timeout_line WHERE rank IS NOT NULL),
world AS (SELECT max(world_size) AS world_size FROM identity_link),
one_log AS (SELECT count(DISTINCT rank) AS ranks FROM c10d_timeout_line WHERE rank IS NOT NULL GROUP BY file_id ORDER BY ranks DESC LIMIT 1)
SELECT rank FROM told WHERE rank IS NOT NULL
UNION SELECT unnest(range(world_size)) FROM world, one_log WHERE world_size BETWEEN 4 AND 100000 AND ranks >= world_size - greatest(1, world_size // 8);

-- All ranks but one or a few gave up in one operation of the default group, and these say nothing of it: more may be silent where each of them
-- has a log of its own, or where they are all of a host's ranks.
CREATE VIEW missing_rank_silent AS
WITH loud AS (
  FROM watchdog_loud WHERE rank IS NOT NULL
  UNION SELECT rank FROM c10d_timeout_line UNION SELECT rank FROM c10d_barrier UNION SELECT rank FROM c10d_fingerprint),
waiting AS (
  SELECT * FROM c10d_timeout_once
  WHERE said_by IN ('watchdog', 'gloo') AND rank IS NOT NULL AND coalesce(grp_desc, 'default_pg') = 'default_pg' AND coalesce(grp, '0') IN ('0', 'default_pg')),
silent AS (
  SELECT k.rank, any_value(f.file_id) AS file_id, max(f.lines) AS line_no FROM rank_heard k LEFT JOIN file f ON f.rank = k.rank AND f.lines > 0 AND f.reader = 'lines'
  WHERE k.rank NOT IN (SELECT rank FROM loud WHERE rank IS NOT NULL)
    -- Who was ended by its launcher had time to speak if others that were ended did, or if it was the only one
    -- left to be ended: gloo's ranks go by themselves as soon as they give up.
    AND (k.rank NOT IN (SELECT rank FROM ended_by_launcher) OR (SELECT count(DISTINCT rank) FROM waiting SEMI JOIN ended_by_launcher USING (rank)) >= 2
      OR (SELECT count(DISTINCT rank) FROM ended_by_launcher) = 1 AND (SELECT bool_and(said_by = 'gloo') FROM waiting))
    AND NOT EXISTS (FROM exception e WHERE e.rank = k.rank) AND NOT EXISTS (FROM exit e WHERE e.rank = k.rank AND (e.exitcode > 0 OR e.exitcode IN (-6, -9, -11, -7)))
  GROUP BY k.rank),
more AS (
  SELECT bool_and(s.file_id IS NOT NULL) OR bool_and(coalesce(len(h.ranks) > 0 AND list_has_all((SELECT list(rank) FROM silent), h.ranks), false))
    AND NOT EXISTS (FROM ended_from_outside) AND NOT EXISTS (FROM fatal_exception WHERE kind <> 'collective') AS allowed
  FROM silent s LEFT JOIN rank r USING (rank) LEFT JOIN host h USING (host)),
ended AS (SELECT e.rank, min(line_at(e.file_id, e.line_no)) AS line FROM exit e SEMI JOIN silent USING (rank) GROUP BY e.rank)
SELECT 'silent_log' AS source, list_sort(list(DISTINCT s.rank)) AS ranks, []::VARCHAR[] AS hosts, []::BIGINT[] AS pids,
  (SELECT coalesce(any_value(grp_desc), CASE WHEN any_value(said_by) <> 'gloo' THEN 'default_pg' END) FROM waiting) AS grp, (SELECT min(collective_seq) FROM waiting) AS seq,
  (SELECT arg_min(op, collective_seq) FROM waiting) AS op,
  NULL::VARCHAR AS side, 'outside' AS place, 'possible' AS grade, (SELECT min(time - to_milliseconds(coalesce(ran_ms, timeout_ms, 0))) FROM waiting) AS "at",
  'rank ' || ranges(list(DISTINCT s.rank)) || ' says nothing of the timeout that ranks ' || (SELECT ranges(list(DISTINCT rank)) FROM waiting) || ' report' AS said,
  coalesce(list(line_at(s.file_id, s.line_no)) FILTER (s.file_id IS NOT NULL), [])[:5] || coalesce((SELECT list(line) FROM ended), [])[:3] || (SELECT list(line_at(file_id, line_no))[:3] FROM waiting) AS evidence
FROM silent s
HAVING count(*) > 0
  AND (count(DISTINCT s.rank) = 1 OR bool_and(s.rank NOT IN (SELECT rank FROM ended_by_launcher)))
  AND (SELECT count(DISTINCT rank) FROM waiting) >= greatest(2, (SELECT count(*) FROM rank_heard) - greatest(1, (SELECT count(*) FROM rank_heard) // CASE WHEN (SELECT allowed FROM more) THEN 4 ELSE 8 END))
  AND (SELECT count(DISTINCT collective_seq) FROM waiting) <= 1;

-- A process had ended, as its launcher tells, before the others gave up waiting: it can't have joined them. Only where nobody says
-- why it ended: a failure with an account of its own is an incident of its own, and this its echo.
CREATE VIEW missing_rank_ended AS
WITH waiting AS (SELECT * FROM watchdog_waiter WHERE time IS NOT NULL),
ended AS (
  SELECT e.* FROM "exit" e
  WHERE e.rank IS NOT NULL AND e.time IS NOT NULL AND e.exitcode BETWEEN 1 AND 127
    AND e.time < (SELECT min(time) FROM waiting) - INTERVAL 1 MINUTE AND e.rank NOT IN (SELECT rank FROM watchdog_loud WHERE rank IS NOT NULL)
    AND NOT EXISTS (FROM exception_verdict v WHERE v.rank = e.rank OR (v.rank IS NULL AND v.kind <> 'echo')))
SELECT 'ended' AS source, list_sort(list(DISTINCT rank)) AS ranks, list_distinct(list(host) FILTER (host IS NOT NULL)) AS hosts, []::BIGINT[] AS pids,
  (SELECT coalesce(any_value(grp_desc), 'default_pg') FROM waiting) AS grp, (SELECT min(collective_seq) FROM waiting) AS seq, (SELECT arg_min(op, collective_seq) FROM waiting) AS op,
  'host' AS side, 'outside' AS place, 'probable' AS grade, min(time) AS "at",
  'rank ' || ranges(list(DISTINCT rank)) || ' had ended (' || string_agg(DISTINCT 'exit code ' || exitcode, ', ') || ') before the others gave up' AS said,
  list(line_at(file_id, line_no) ORDER BY time, file_id, line_no)[:5] || (SELECT list(line_at(file_id, line_no))[:3] FROM waiting) AS evidence
FROM ended HAVING count(*) > 0 AND (SELECT count(DISTINCT collective_seq) FROM waiting) = 1
  AND 4 * count(DISTINCT rank) <= (SELECT count(DISTINCT rank) FROM waiting);

-- Horovod's coordinator names the ranks that did not submit what the others wait for. A slow rank (validation, saving) earns one such warning a
-- minute and comes in the end: what counts is the last one, when next to nothing was logged after it, or when Horovod gave up.
CREATE VIEW missing_rank_horovod AS
WITH warned AS (
  SELECT * REPLACE (coalesce(lagging, task::VARCHAR) AS lagging), coalesce(max(CASE WHEN event = 'warning' THEN line_no END) OVER (PARTITION BY file_id ORDER BY line_no), 0) AS first_line FROM horovod_stall),
stalled AS (
  SELECT w.file_id, first_line, max(w.line_no) AS last_line, bool_or(w.event = 'shutdown') AS gave_up, max(w.time) AS time, max(w.seconds) AS seconds,
    max(f.lines) - max(w.line_no) AS lines_after, list(w.lagging) FILTER (w.event = 'missing' AND w.lagging IS NOT NULL) AS said, arg_min(w.tensor, w.line_no) FILTER (w.tensor IS NOT NULL) AS tensor,
    list(line_at(w.file_id, w.line_no) ORDER BY w.line_no)[:5] AS evidence
  FROM warned w JOIN file f USING (file_id) GROUP BY w.file_id, first_line),
awaited AS (  -- where no tensor lacks all of these ranks, they submit different ones, and each waits for the other
  SELECT file_id, first_line, max(len(ranks)) AS most FROM (
    SELECT file_id, first_line, tensor, list_distinct(flatten(list(regexp_extract_all(lagging, '[0-9]+')))) AS ranks FROM warned WHERE lagging IS NOT NULL GROUP BY ALL) GROUP BY ALL),
named AS (
  SELECT s.*, list_transform(s.said, lambda t: list_transform(regexp_extract_all(t, '[0-9]+'), lambda n: n::BIGINT)) AS by_tensor, count(*) OVER (PARTITION BY file_id) AS times
  FROM stalled s WHERE len(said) > 0 QUALIFY row_number() OVER (PARTITION BY file_id ORDER BY last_line DESC) = 1)
SELECT 'horovod' AS source, list_sort(list_distinct(flatten(by_tensor))) AS ranks, []::VARCHAR[] AS hosts, []::BIGINT[] AS pids, NULL::VARCHAR AS grp, NULL::BIGINT AS seq,
  tensor AS op, 'host' AS side, 'outside' AS place, CASE WHEN most < len(list_distinct(flatten(by_tensor))) THEN 'possible' WHEN gave_up THEN 'definite' WHEN times > 1 OR EXISTS (FROM trouble_sign) THEN 'probable' ELSE 'possible' END AS grade,
  time - to_seconds(coalesce(seconds, 0)) AS "at", 'Horovod''s stall inspector: the others have submitted ' || tensor || coalesce(' and wait for more than ' || seconds::BIGINT || ' s', '')
    || CASE WHEN most < len(list_distinct(flatten(by_tensor))) THEN '; each of them lacks other tensors, so they submit them in different orders, or different ones' ELSE '' END AS said, evidence
FROM named JOIN awaited USING (file_id, first_line) WHERE gave_up OR lines_after <= 40;

-- Old versions say in one line who HAS submitted each tensor. Who is awaited follows where the others are known: they are all that anybody
-- names, and no rank above them. Where each rank waits with tensors of its own, none is late: the fewer went another way.
CREATE VIEW missing_rank_horovod_ready AS
WITH warned AS (
  SELECT h.file_id, h.line_no, h.time, h.seconds, f.lines - h.line_no AS lines_after, unnest(regexp_extract_all(h.stalled, '[^ ,\[\]]+ \[(?:ready|missing) ranks: ?[0-9, ]+\]')) AS said
  FROM horovod_stall h JOIN file f USING (file_id) WHERE h.stalled IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY h.file_id ORDER BY h.line_no DESC) = 1),
tensors AS (
  SELECT file_id, line_no, time, seconds, split_part(said, ' ', 1) AS tensor, contains(said, '[missing') AS missing,
    list_sort(list_transform(regexp_extract_all(regexp_extract(said, 'ranks: ?([0-9, ]+)', 1), '[0-9]+'), lambda n: n::BIGINT)) AS ranks
  FROM warned WHERE lines_after <= 40),
world AS (SELECT range(greatest((SELECT max(list_max(ranks)) FROM tensors), coalesce((SELECT max(rank) FROM rank), 0), coalesce((SELECT max(world_size) - 1 FROM identity), 0)) + 1) AS ranks),
sets AS (
  SELECT file_id, CASE WHEN missing THEN list_filter(w.ranks, lambda r: NOT list_contains(t.ranks, r)) ELSE t.ranks END AS ready, count(*) AS n, min(tensor) AS tensor, min(line_no) AS line_no, min(time) AS time, max(seconds) AS seconds
  FROM tensors t CROSS JOIN world w GROUP BY ALL),
ranked AS (SELECT *, count(*) OVER () AS sets, row_number() OVER (ORDER BY len(ready), n) AS place, last_value(tensor) OVER (ORDER BY len(ready), n ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS awaited FROM sets)
SELECT 'horovod' AS source, CASE WHEN sets = 1 THEN list_filter((SELECT ranks FROM world), lambda r: NOT list_contains(ready, r)) ELSE ready END AS ranks, []::VARCHAR[] AS hosts, []::BIGINT[] AS pids, NULL::VARCHAR AS grp, NULL::BIGINT AS seq,
  awaited AS op, 'host' AS side, 'outside' AS place, 'possible' AS grade, time - to_seconds(coalesce(seconds, 0)) AS "at",
  CASE WHEN sets = 1 THEN 'Horovod''s stall inspector: rank ' || ranges(ready) || ' have submitted ' || tensor || coalesce(' and wait for more than ' || seconds::BIGINT || ' s', '')
       ELSE 'Horovod''s stall inspector: rank ' || ranges(ready) || ' alone submitted ' || tensor || ', the others ' || awaited || ': their ways parted' END AS said,
  [line_at(file_id, line_no)] AS evidence
FROM ranked WHERE place = 1 AND CASE WHEN sets = 1 THEN len(ready) < (SELECT len(ranks) FROM world) ELSE 2 * len(ready) <= (SELECT len(ranks) FROM world) END;

-- torch's own analyser of Flight Recorder dumps. In groups that lie within each other it names victims too: whom most of its findings name.
CREATE VIEW missing_rank_analyser AS
WITH finding AS (
  SELECT file_id, coalesce(report_line, line_no) AS first_line, max(collective_seq) AS seq, max(op) AS op, coalesce(max(nullif(grp_desc, '')), max(grp)) AS grp,
    list_transform(regexp_extract_all(max(lagging), '[0-9]+'), lambda n: n::BIGINT) AS ranks, list(line_at(file_id, line_no) ORDER BY line_no)[:4] AS evidence
  FROM flight_report GROUP BY ALL HAVING max(lagging) IS NOT NULL),
named AS (SELECT rank, count(*) AS findings FROM (SELECT unnest(ranks) AS rank FROM finding) GROUP BY rank)
SELECT 'analyser' AS source, (SELECT list(rank ORDER BY rank) FROM named WHERE findings = (SELECT max(findings) FROM named)) AS ranks, []::VARCHAR[] AS hosts, []::BIGINT[] AS pids,
  arg_min(grp, first_line) AS grp, arg_min(seq, first_line) AS seq, arg_min(op, first_line) AS op, 'outside' AS place, CASE WHEN count(DISTINCT ranks) = 1 THEN 'probable' ELSE 'possible' END AS grade,
  'torch''s analyser of the Flight Recorder dumps: they have not joined it, and their dumps are there' AS said, flatten(list(evidence ORDER BY first_line))[:10] AS evidence
FROM finding HAVING count(*) > 0;

CREATE TABLE missing_rank_told AS
SELECT * FROM missing_rank_progress
UNION ALL BY NAME SELECT * FROM missing_rank_no_dump
UNION ALL BY NAME SELECT * FROM missing_rank_barrier
UNION ALL BY NAME SELECT * FROM missing_rank_desync
UNION ALL BY NAME SELECT * FROM missing_rank_analyser
UNION ALL BY NAME SELECT * FROM missing_rank_horovod
UNION ALL BY NAME SELECT * FROM missing_rank_horovod_ready
UNION ALL BY NAME SELECT * FROM missing_rank_barrier_root
UNION ALL BY NAME SELECT * FROM missing_rank_silent
UNION ALL BY NAME SELECT * FROM missing_rank_ended
UNION ALL BY NAME SELECT * FROM missing_rank_stacks
UNION ALL BY NAME SELECT * FROM missing_rank_nccl
UNION ALL BY NAME SELECT * FROM missing_rank_strace
UNION ALL BY NAME SELECT * FROM missing_rank_gone;

-- What stacks say beside another source: one sample proves nothing by itself, as a rank that stands elsewhere may only be at work;
-- where the others wait for one that waits for its data, the rule of that tells it.
CREATE VIEW missing_rank_sample AS
SELECT 'stacks' AS source, list(rank ORDER BY rank) FILTER (NOT peer) AS ranks, coalesce(list(DISTINCT host) FILTER (NOT peer AND host IS NOT NULL), []) AS hosts, coalesce(list(pid ORDER BY pid) FILTER (NOT peer AND pid IS NOT NULL), []) AS pids,
  NULL::VARCHAR AS grp, NULL::BIGINT AS seq, NULL::VARCHAR AS op, 'host' AS side, 'outside' AS place,
  CASE WHEN EXISTS (FROM stack_verdict v WHERE list_sort(v.ranks) = list(rank ORDER BY rank) FILTER (NOT peer)) THEN 'probable' ELSE 'possible' END AS grade, NULL::TIMESTAMP AS "at",
  'in the stacks rank ' || ranges(list(rank) FILTER (NOT peer)) || ' stands elsewhere, while ' || count(*) FILTER (peer) || ' wait for their peers' AS said,
  list(line_at(file_id, thread_line) ORDER BY rank) FILTER (NOT peer) AS evidence
FROM stack_rank HAVING bool_and(rank IS NOT NULL AND NOT failed) AND count(*) FILTER (NOT peer) BETWEEN 1 AND count(*) // 4;

CREATE TABLE missing_rank_suspect AS
SELECT * FROM missing_rank_told
UNION ALL BY NAME SELECT * FROM missing_rank_sample WHERE EXISTS (FROM missing_rank_told WHERE len(ranks) > 0) AND NOT EXISTS (FROM missing_rank_told WHERE source = 'stacks');
