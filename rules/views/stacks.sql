-- Stack dumps: from frames of any tool to "where does each rank stand, and what does it wait for".
-- stack_symbol (names) -> stack_unit (threads of one dump) -> stack_position (a class per thread) -> stack_dump (a row per
-- dumped process) -> stack_main (the main thread of every dump, with its rank) -> stack_rank (the last word on every rank).

-- --- names -----------------------------------------------------------------------------------------------------------

-- position_class with its alternatives taken apart. Order in the file decides between patterns of the same reach.
-- only with stack_thread, stack_frame, stack_failure, stack_python
CREATE TABLE position_pattern AS
SELECT p.nr, p.class, p.reach, p.awaits, f.unnest AS function, s.unnest AS source
FROM (SELECT rowid AS nr, * FROM position_class) AS p, unnest(string_split(p.function, '|')) AS f, unnest(string_split(p.source, '|')) AS s;

-- One row per distinct (function, source): versions of py-spy differ in how they qualify names, so the last dotted part counts.
CREATE TABLE stack_symbol AS
WITH raw AS (
  SELECT DISTINCT function, source, CASE WHEN contains(arguments, ', for file ') THEN arguments END AS arguments FROM stack_frame
), named AS (
  SELECT *, regexp_extract(arguments, ', for file ([^,]+), line ([0-9]+), in ([^ (]+)', ['file', 'line', 'name']) AS py FROM raw
), plain AS (
  SELECT function, source, arguments,
    CASE WHEN py.name <> '' THEN py.name ELSE function END AS full_name,
    CASE WHEN py.file <> '' THEN py.file ELSE source END AS full_source, try_cast(nullif(py.line, '') AS BIGINT) AS py_line
  FROM named
), short AS (
  SELECT *, coalesce(NOT regexp_matches(full_source, '\.pyx?$|^<'), true) AS native,
    coalesce(regexp_replace(replace(full_source, '\', '/'), '^.*/(?:site-packages|dist-packages|lib(?:64)?/python3[.0-9]*|Lib)/', ''), '') AS path
  FROM plain
), clean AS (
  SELECT *, CASE WHEN native THEN full_name ELSE coalesce(nullif(regexp_extract(full_name, '([^.]*)$', 1), ''), full_name) END AS name FROM short
), library AS (
  SELECT DISTINCT c.path FROM clean AS c JOIN stack_library AS l ON c.path GLOB l.source
), matches AS (
  SELECT c.function, c.source, c.arguments, p.reach, arg_min(p.class, p.nr) AS class, arg_min(p.awaits, p.nr) AS awaits, min(p.nr) AS nr
  FROM clean AS c JOIN position_pattern AS p ON c.name GLOB p.function AND (p.source = '*' OR c.path GLOB p.source OR c.path GLOB ('*/' || p.source))
  GROUP BY ALL
), best AS (
  SELECT function, source, arguments, map_from_entries(list((reach, {'class': class, 'awaits': awaits}))) AS says FROM matches GROUP BY ALL
)
SELECT c.function, c.source, c.arguments, c.name, c.native, c.path, c.py_line,
  CASE WHEN c.path LIKE '/%' THEN regexp_extract(c.path, '([^/]*)$', 1) ELSE c.path END AS shown_path,
  -- `<module> (<string>)` is how multiprocessing starts a child.
  l.path IS NULL AND NOT c.native AND NOT (c.name = '<module>' AND c.path = '<string>') AS own_code, b.says['skip'] IS NOT NULL AS skipped,
  b.says['stack'] AS by_stack, b.says['near'] AS by_near, b.says['weak'] AS by_weak, b.says['native'] AS by_native, b.says['top'] AS by_top
FROM clean AS c
LEFT JOIN library AS l USING (path)
LEFT JOIN best AS b ON b.function IS NOT DISTINCT FROM c.function AND b.source IS NOT DISTINCT FROM c.source AND b.arguments IS NOT DISTINCT FROM c.arguments;

-- --- which thread belongs to which process --------------------------------------------------------------------------

-- only with stack_thread, stack_frame, stack_failure, stack_python
CREATE TABLE stack_head AS
SELECT file_id, line_no, coalesce(stream, '') AS stream, pid, host, rank, local_rank, task, cmdline, source_kind, occasion, time FROM stack_process
UNION ALL BY NAME
SELECT file_id, line_no, coalesce(stream, '') AS stream, pid, host, rank, local_rank, task, 'mark' AS source_kind, kind AS occasion, time
FROM stack_mark WHERE kind <> 'date';

-- A debugger's stack without a thread header (eu-stack as people paste it) gets one.
CREATE TABLE stack_thread_any AS
SELECT t.file_id, t.line_no, t.line_no AS head_line, coalesce(t.stream, '') AS stream, t.host, t.rank, t.local_rank, t.task, t.pid,
  coalesce(g.source_kind, t.source_kind) AS source_kind, coalesce(g.tid, t.tid) AS tid, coalesce(g.number, t.number) AS number, t.status, coalesce(g.name, t.name) AS name, t.time
FROM stack_thread AS t
-- `thread apply all py-bt`: the debugger's head of the thread, and below it Python's.
LEFT JOIN stack_thread AS g ON g.file_id = t.file_id AND g.line_no = t.line_no - 1 AND t.source_kind = 'gdb py-bt' AND g.source_kind = 'gdb'
WHERE NOT (t.source_kind = 'gdb' AND EXISTS (FROM stack_thread AS p WHERE p.file_id = t.file_id AND p.line_no = t.line_no + 1 AND p.source_kind = 'gdb py-bt'))
UNION ALL BY NAME
SELECT f.file_id, f.line_no, NULL AS head_line, coalesce(f.stream, '') AS stream, f.host, f.rank, f.local_rank, f.task, f.pid, 'backtrace' AS source_kind, f.time
FROM stack_frame AS f ANTI JOIN stack_thread AS t ON t.file_id = f.file_id AND t.line_no = f.line_no - 1
WHERE f.depth = 1 AND f.thread_line IS NULL AND f.bare_line IS NULL;

CREATE TABLE stack_unit AS
WITH thread AS (
  SELECT t.*, coalesce(f.grammar = 'py_spy_json', false) AS is_json FROM stack_thread_any AS t JOIN file AS f USING (file_id)
), spy AS (SELECT *, pid::VARCHAR AS pid_text FROM stack_head WHERE source_kind = 'py-spy'),
-- On Linux the main thread's id is the process's: that repairs dumps that interleave in one file.
own AS (
  SELECT t.file_id, t.line_no, t.stream, h.line_no AS head
  FROM thread AS t ASOF JOIN spy AS h ON t.file_id = h.file_id AND t.stream = h.stream AND t.tid = h.pid_text AND t.line_no >= h.line_no
  WHERE t.source_kind = 'py-spy' AND NOT t.is_json
), json AS (
  SELECT t.file_id, t.line_no, h.line_no AS head
  FROM thread AS t ASOF JOIN spy AS h ON t.file_id = h.file_id AND t.pid = h.pid AND t.line_no >= h.line_no WHERE t.is_json
), last_own AS (
  SELECT t.file_id, t.line_no, o.head
  FROM thread AS t ASOF JOIN own AS o ON t.file_id = o.file_id AND t.stream = o.stream AND t.line_no >= o.line_no
  WHERE t.source_kind = 'py-spy' AND NOT t.is_json
), last_head AS (
  SELECT t.file_id, t.line_no, h.line_no AS head
  FROM thread AS t ASOF JOIN stack_head AS h ON t.file_id = h.file_id AND t.stream = h.stream AND t.line_no >= h.line_no
  WHERE t.source_kind <> 'faulthandler'
), last_fault AS (
  SELECT t.file_id, t.line_no, h.line_no AS head
  FROM thread AS t ASOF JOIN (SELECT * FROM stack_head WHERE source_kind IN ('faulthandler', 'mark')) AS h
    ON t.file_id = h.file_id AND t.stream = h.stream AND t.line_no >= h.line_no
  WHERE t.source_kind = 'faulthandler'
), numbered AS (
  -- gdb counts down to 1, lldb up from 1; a new process begins where the count begins again.
  SELECT file_id, line_no,
    CASE WHEN first_value(number) OVER w = 1 THEN count_if(number = 1) OVER w
         ELSE count_if(number = 1) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) END AS nth
  FROM thread WHERE number IS NOT NULL WINDOW w AS (PARTITION BY file_id, stream ORDER BY line_no)
)
-- From outside a container's pid namespace no thread has the process's id, and all are called active: the word means nothing then.
SELECT t.* REPLACE (CASE WHEN t.status = 'active' AND t.source_kind = 'py-spy' AND last_head.head IS NOT NULL AND own.head IS NULL AND last_own.head IS NULL AND json.head IS NULL
      AND regexp_full_match(t.tid, '[0-9]+') THEN NULL ELSE t.status END AS status),
  coalesce(json.head, own.head, last_own.head, last_head.head, last_fault.head) AS unit_head, coalesce(numbered.nth, 0)
  -- A second main thread under one head is another dump, pasted without its own.
  + CASE WHEN t.source_kind = 'py-spy' AND NOT t.is_json THEN greatest(count_if(t.name = 'MainThread') OVER (
      PARTITION BY t.file_id, t.stream, coalesce(own.head, last_own.head, last_head.head) ORDER BY t.line_no) - 1, 0)
         WHEN t.source_kind = 'austin' THEN t.pid ELSE 0 END AS nth
FROM thread AS t
LEFT JOIN json USING (file_id, line_no)
LEFT JOIN (SELECT file_id, line_no, head FROM own) AS own USING (file_id, line_no)
LEFT JOIN last_own USING (file_id, line_no)
LEFT JOIN last_head USING (file_id, line_no)
LEFT JOIN last_fault USING (file_id, line_no)
LEFT JOIN numbered USING (file_id, line_no);

-- --- a class per thread ----------------------------------------------------------------------------------------------

CREATE TABLE stack_position AS
WITH bare AS (
  SELECT b.file_id, b.at, coalesce(t.line_no, b.at) AS thread_line
  FROM (SELECT DISTINCT file_id, coalesce(bare_line, line_no) AS at FROM stack_frame WHERE thread_line IS NULL) AS b
  LEFT JOIN stack_thread AS t ON t.file_id = b.file_id AND t.line_no = b.at - 1
), frame AS (
  SELECT file_id, line_no, thread_line, depth, function, source, line, arguments FROM stack_frame WHERE thread_line IS NOT NULL
  UNION ALL
  SELECT f.file_id, f.line_no, b.thread_line, f.depth + CASE WHEN f.bare_line IS NULL THEN 0 ELSE 1 END, function, source, line, arguments
  FROM stack_frame AS f JOIN bare AS b ON b.file_id = f.file_id AND b.at = coalesce(f.bare_line, f.line_no) WHERE f.thread_line IS NULL
), placed AS (
  SELECT f.file_id, f.thread_line, f.line_no, CASE WHEN t.source_kind IN ('pystack', 'python stack', 'austin') THEN -f.depth ELSE f.depth END AS d,
    s.name, s.native, s.own_code, s.skipped, s.shown_path, s.by_stack, s.by_near, s.by_weak, s.by_native, s.by_top,
    coalesce(s.py_line, f.line) AS line,
    CASE WHEN s.own_code AND coalesce(s.py_line, f.line) IS NOT NULL THEN s.name || ' (' || s.shown_path || ':' || coalesce(s.py_line, f.line) || ')'
         ELSE s.name || ' (' || s.shown_path || ')' END AS label
  FROM frame AS f
  JOIN stack_symbol AS s ON s.function IS NOT DISTINCT FROM f.function AND s.source IS NOT DISTINCT FROM f.source
    AND s.arguments IS NOT DISTINCT FROM CASE WHEN contains(f.arguments, ', for file ') THEN f.arguments END
  LEFT JOIN stack_thread AS t ON t.file_id = f.file_id AND t.line_no = f.thread_line
), counted AS (
  -- busy: calls further in that do more than wait.
  SELECT *, count_if(NOT skipped AND NOT native) OVER (w ROWS UNBOUNDED PRECEDING) AS nth,
    -- (the innermost has no rows before it, and a count of none is NULL)
    coalesce(count_if(NOT skipped AND NOT native AND by_top IS NULL AND by_weak.class IS DISTINCT FROM 'wait') OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS busy
  FROM placed WINDOW w AS (PARTITION BY file_id, thread_line ORDER BY d)
), thread AS (
  SELECT file_id, thread_line,
    arg_min({'f': name, 'c': by_stack.class, 'w': by_stack.awaits, 'line': line_no}, d) FILTER (by_stack IS NOT NULL) AS stack,
    arg_min({'f': name, 'c': by_near.class, 'w': by_near.awaits, 'line': line_no, 'd': d, 'busy': busy}, d) FILTER (by_near IS NOT NULL AND nth <= 10) AS near,
    arg_min({'f': name, 'c': by_top.class, 'w': by_top.awaits, 'line': line_no, 'd': d}, d) FILTER (by_top IS NOT NULL AND busy = 0) AS idle,
    arg_min({'f': name, 'c': by_weak.class, 'w': by_weak.awaits, 'line': line_no, 'd': d}, d) FILTER (by_weak IS NOT NULL AND nth <= 10) AS weak,
    arg_min({'f': name, 'c': by_native.class, 'w': by_native.awaits, 'line': line_no}, d) FILTER (by_native IS NOT NULL) AS native,
    arg_min({'f': name, 'p': shown_path, 'line': line_no}, d) FILTER (NOT native AND NOT skipped) AS top,
    arg_min({'f': name, 'p': shown_path, 'line': line_no, 'n': line}, d) FILTER (own_code AND NOT skipped) AS own,
    arg_min(name, d) AS innermost,
    bool_or(name = 'get' AND shown_path = 'multiprocessing/queues.py' AND nth <= 8) AS in_queue_get,
    list(label ORDER BY d DESC) FILTER (NOT native AND NOT skipped) AS path,
    list(label ORDER BY d DESC) FILTER (own_code AND NOT skipped) AS own_path,
    count(*) AS frames
  FROM counted GROUP BY file_id, thread_line
), decided AS (
  SELECT *, CASE WHEN stack IS NOT NULL THEN {'f': stack.f, 'c': stack.c, 'w': stack.w, 'line': stack.line}
      WHEN idle IS NOT NULL AND (near IS NULL OR idle.d < near.d) THEN {'f': idle.f, 'c': idle.c, 'w': idle.w, 'line': idle.line}
      -- The code that loads data, and nothing further in but a wait in a queue: others load it.
      WHEN near.c = 'data-load' AND near.busy = 0 AND weak.c = 'wait' THEN {'f': near.f, 'c': 'data-wait', 'w': 'a worker of the data loader', 'line': near.line}
      -- A semaphore: it waits until another thread gives a token back, as a condition does.
      WHEN near.c = 'lock-wait' AND near.f = 'acquire' AND near.busy = 0 AND weak.c = 'wait' AND weak.d < near.d THEN {'f': weak.f, 'c': weak.c, 'w': weak.w, 'line': weak.line}
      WHEN near IS NOT NULL THEN {'f': near.f, 'c': near.c, 'w': near.w, 'line': near.line}
      WHEN weak IS NOT NULL THEN {'f': weak.f, 'c': weak.c, 'w': weak.w, 'line': weak.line} ELSE native END AS said
  FROM thread
)
SELECT u.file_id, u.line_no, u.stream, u.unit_head, u.nth, u.source_kind, u.tid, u.number, u.status, u.name, u.host, u.rank, u.local_rank, u.task, u.time,
  coalesce(t.frames, 0) AS frames, t.innermost, t.top, t.own, t.path, t.own_path, t.in_queue_get,
  t.native.w IS NOT DISTINCT FROM 'a lock' AND coalesce(t.weak.c, '') <> 'wait' AND t.stack IS NULL AND t.idle IS NULL AND coalesce(t.near.c, 'lock-wait') = 'lock-wait' AS holds_out_for_lock,
  -- A worker process wants a lock of its own (not the queue's, which workers share).
  coalesce(t.stack.c IN ('loader-worker', 'pool-worker') AND NOT t.in_queue_get AND coalesce(u.status, '') NOT LIKE 'active%' AND coalesce(t.weak.c, '') <> 'wait' AND coalesce(t.near.w, 'a lock') IN ('a lock', 'the import lock')
    AND (t.native.w = 'a lock' OR t.near.c = 'lock-wait' AND t.near.busy = 0 AND t.near.f IN ('acquire', '_acquire', '_lock_unlock_module')), false) AS worker_wants_lock,
  t.near.c IS NOT DISTINCT FROM 'backward' AS in_backward,
  t.said AS decided,
  CASE WHEN t.stack IS NULL AND t.near.c = 'backward' THEN CASE WHEN u.status LIKE 'active%' THEN 'compute' ELSE 'collective-wait' END
       WHEN t.said.c IS NOT NULL THEN t.said.c
       WHEN t.frames IS NULL THEN 'none'
       WHEN u.status LIKE 'active%' OR u.status LIKE '%Has the GIL%' THEN 'compute'
       -- Without Python frames only a system call on top tells a wait from work.
       WHEN t.top IS NULL AND NOT regexp_matches(t.innermost, 'open|read|recv|flock|fcntl|connect|accept|mkdir|sync|write|futex|stat|poll|select|epoll|nanosleep|rename|unlink') THEN 'unknown'
       ELSE 'blocked' END AS class,
  CASE WHEN NOT (t.stack IS NULL AND t.near.c IS NOT DISTINCT FROM 'backward' AND u.status LIKE 'active%') THEN t.said.w END AS awaits
FROM stack_unit AS u LEFT JOIN decided AS t ON t.file_id = u.file_id AND t.thread_line = u.line_no;

-- --- one row per dumped process -----------------------------------------------------------------------------------------

-- only with stack_thread, stack_frame, stack_failure, stack_python
CREATE TABLE stack_dump AS
WITH pid_of AS (
  SELECT file_id, stream, unit_head, nth, max(CASE WHEN number = 1 THEN try_cast(tid AS BIGINT) END) AS lwp FROM stack_position GROUP BY ALL
), main AS (
  -- The main thread: by name, by its id, by a debugger's number; a thread that Python started is not it. faulthandler and pystack
  -- print it last, others first.
  SELECT p.*, bool_or(p.number = 1) OVER (PARTITION BY p.file_id, p.stream, p.unit_head, p.nth) AS has_first, row_number() OVER (
      PARTITION BY p.file_id, p.stream, p.unit_head, p.nth
      ORDER BY coalesce(p.name = 'MainThread', false) DESC, coalesce(p.name = 'pt_main_thread', false) DESC, coalesce(p.tid = h.pid::VARCHAR OR p.source_kind = 'austin' AND p.tid = p.nth::VARCHAR, false) DESC,
        coalesce(p.number = 1, false) DESC, coalesce(p.path[1] LIKE '\_bootstrap (%' ESCAPE '\', false), p.frames = 0, CASE WHEN p.source_kind IN ('faulthandler', 'pystack') THEN -p.line_no ELSE p.line_no END) AS place
  FROM stack_position AS p LEFT JOIN stack_head AS h ON h.file_id = p.file_id AND h.line_no = p.unit_head AND h.stream = p.stream
-- A piece of a dump without the main thread says nothing of where the process stands: a debugger numbers that one 1, and Python started the others.
), main_thread AS (
  SELECT * EXCLUDE (has_first) FROM main
  WHERE place = 1 AND has_first IS DISTINCT FROM false AND NOT (source_kind = 'faulthandler' AND coalesce(path[1] LIKE '\_bootstrap (%' ESCAPE '\', false))
),
-- Backward hooks (FSDP, DeepSpeed) run in threads that C++ made: they have no name, and the main thread shows only `backward`.
hook AS (
  SELECT file_id, stream, unit_head, nth, arg_min({'class': class, 'own': own, 'top': top, 'path': path, 'own_path': own_path, 'decided': decided, 'awaits': awaits, 'status': status}, line_no) AS h
  FROM main WHERE place > 1 AND coalesce(name, '') = '' AND top IS NOT NULL AND class NOT IN ('helper', 'none') GROUP BY ALL
), dumped AS (
  SELECT m.file_id, m.stream, m.unit_head, m.nth, m.line_no AS thread_line, m.source_kind, m.tid, m.name,
    CASE WHEN m.in_backward AND k.h IS NOT NULL THEN k.h.status ELSE m.status END AS status,
    CASE WHEN m.in_backward AND k.h IS NOT NULL THEN k.h.class ELSE m.class END AS class,
    CASE WHEN m.in_backward AND k.h IS NOT NULL THEN k.h.awaits ELSE m.awaits END AS awaits,
    CASE WHEN m.in_backward AND k.h IS NOT NULL THEN k.h.decided ELSE m.decided END AS decided,
    CASE WHEN m.in_backward AND k.h IS NOT NULL THEN k.h.top ELSE m.top END AS top,
    CASE WHEN m.in_backward AND k.h IS NOT NULL THEN coalesce(k.h.own, m.own) ELSE m.own END AS own,
    CASE WHEN m.in_backward AND k.h IS NOT NULL THEN list_concat(m.path, k.h.path) ELSE m.path END AS path,
    CASE WHEN m.in_backward AND k.h IS NOT NULL THEN list_concat(m.own_path, k.h.own_path) ELSE m.own_path END AS own_path,
    m.innermost, m.in_queue_get, m.holds_out_for_lock, m.worker_wants_lock, m.in_backward, m.host, m.rank, m.local_rank, m.task, m.time
  FROM main_thread AS m LEFT JOIN hook AS k ON k.file_id = m.file_id AND k.stream = m.stream AND k.unit_head IS NOT DISTINCT FROM m.unit_head AND k.nth = m.nth
), cut AS (
  -- Where a log ends within a stack the callers are missing: it stands where the thread does whose innermost calls are the same.
  SELECT part.path, arg_max({'path': w.path, 'own_path': w.own_path}, len(w.path)) AS whole
  FROM (SELECT DISTINCT path, path[-1] AS top FROM dumped) AS part JOIN (SELECT DISTINCT path, own_path, path[-1] AS top FROM dumped) AS w USING (top)
  WHERE len(w.path) > len(part.path) AND w.path[-len(part.path):] = part.path GROUP BY part.path
), failure AS (
  -- The numbered causes of an error look like lines of a task of srun: the pid they name tells whose they are.
  SELECT f.file_id, f.line_no, coalesce(f.stream, '') AS stream, f.pid, f.rank, f.reason, coalesce(o.line_no, h.line_no) AS head, coalesce(o.stream, h.stream) AS head_stream,
    coalesce(o.pid, h.pid) AS head_pid, coalesce(o.rank, h.rank) AS head_rank
  FROM stack_failure AS f ASOF LEFT JOIN stack_head AS h ON f.file_id = h.file_id AND coalesce(f.stream, '') = h.stream AND f.line_no >= h.line_no
  ASOF LEFT JOIN (FROM stack_head WHERE source_kind = 'py-spy') AS o ON f.file_id = o.file_id AND f.pid = o.pid AND f.line_no >= o.line_no
), python AS (
  SELECT p.file_id, p.line_no, h.line_no AS head
  FROM stack_python AS p ASOF JOIN (SELECT * FROM stack_head WHERE source_kind = 'py-spy') AS h
    ON p.file_id = h.file_id AND coalesce(p.stream, '') = h.stream AND p.line_no >= h.line_no
), seen AS (
  -- A head alone is no dump (many programs print `Process 3: ...`); with the Python line below it, it is.
  SELECT h.*, r.reason, r.line_no AS failure_line
  FROM stack_head AS h ANTI JOIN dumped AS d ON d.file_id = h.file_id AND d.stream = h.stream AND d.unit_head = h.line_no
  LEFT JOIN (SELECT file_id, head_stream, head, arg_max(reason, line_no) AS reason, max(line_no) AS line_no FROM failure GROUP BY ALL) AS r ON r.file_id = h.file_id AND r.head_stream = h.stream AND r.head = h.line_no
  WHERE h.source_kind IN ('py-spy', 'mark') AND (r.reason IS NOT NULL OR (h.source_kind = 'py-spy' AND EXISTS (FROM python AS p WHERE p.file_id = h.file_id AND p.head = h.line_no)))
), every AS (
  SELECT d.* REPLACE (coalesce(c.whole.path, d.path) AS path, coalesce(c.whole.own_path, d.own_path) AS own_path),
    coalesce(d.unit_head, d.thread_line) AS line_no, h.pid AS head_pid, h.cmdline, h.occasion, h.rank AS head_rank, NULL::VARCHAR AS failure, NULL::BIGINT AS failure_line
  FROM dumped AS d LEFT JOIN cut AS c ON c.path = d.path LEFT JOIN stack_head AS h ON h.file_id = d.file_id AND h.stream = d.stream AND h.line_no = d.unit_head
  UNION ALL BY NAME
  SELECT file_id, stream, line_no AS unit_head, line_no, source_kind, host, rank, local_rank, task, time, pid AS head_pid, cmdline, rank AS head_rank,
    coalesce(reason, 'no_stack') AS failure, failure_line FROM seen
  UNION ALL BY NAME
  -- Ranks named as silent without an answer of their own, and failures that name a pid without a head (JSON).
  SELECT file_id, stream, line_no, 'failure' AS source_kind, rank, pid AS head_pid, rank AS head_rank, reason AS failure, line_no AS failure_line FROM failure
  WHERE (rank IS NOT NULL OR pid IS NOT NULL) AND head IS NULL
), marked AS (
  SELECT e.*, m.pid AS mark_pid, m.rank AS mark_rank, coalesce(m.occasion = 'watchdog', false) AS watched
  FROM every AS e ASOF LEFT JOIN (SELECT * FROM stack_head WHERE source_kind = 'mark') AS m ON m.file_id = e.file_id AND m.stream = e.stream AND e.line_no >= m.line_no
), timed AS (
  SELECT k.*, d.said AS date_said
  FROM marked AS k ASOF LEFT JOIN (SELECT file_id, line_no, said FROM stack_mark WHERE kind = 'date') AS d ON d.file_id = k.file_id AND k.line_no >= d.line_no
)
SELECT row_number() OVER (ORDER BY t.file_id, t.line_no) AS dump, t.file_id, t.line_no, t.thread_line, t.stream, t.unit_head, t.nth, t.source_kind, coalesce(f.grammar = 'py_spy_json', false) AS is_json, f.path AS file,
  coalesce(CASE WHEN t.source_kind = 'austin' THEN t.nth END, t.head_pid, p.lwp, t.mark_pid, CASE WHEN (t.name = 'MainThread' AND t.source_kind = 'py-spy' OR t.source_kind = 'pystack') AND NOT starts_with(t.tid, '0x') THEN try_cast(t.tid AS BIGINT) END,
    try_cast(nullif(regexp_extract(f.path, '(?:pid|py-?spy|dumps?/|stack|trace|native|strace)[-_.]?([0-9]{3,8})\.[a-z]+$', 1), '') AS BIGINT)) AS pid,
  t.watched, t.host, coalesce(t.mark_rank, t.head_rank, t.rank) AS rank, t.local_rank, t.task, t.cmdline, t.occasion, t.failure, t.failure_line,
  coalesce(t.time, try_strptime(regexp_replace(t.date_said, ' [A-Z]{2,5} (20[0-9]{2})$', ' \1'), '%a %b %d %H:%M:%S %Y'),
    try_strptime(nullif(regexp_extract(f.path, '(20[0-9]{6}[-_T]?[0-9]{6})', 1).replace('-', '').replace('_', '').replace('T', ''), ''), '%Y%m%d%H%M%S')) AS time,
  natural_order(f.path) AS file_order,
  t.tid, t.name AS thread_name, t.status, t.class, t.awaits, t.decided, t.top, t.own, t.path, t.own_path, t.innermost, t.in_queue_get, t.holds_out_for_lock, t.worker_wants_lock, t.in_backward,
  CASE WHEN t.class IN ('loader-worker', 'pool-worker') THEN replace(t.class, '-', ' ')
       -- It hands work to the ranks and waits for what they answer.
       WHEN t.class = 'answer-wait' THEN 'driver'
       WHEN t.class IN ('launcher', 'helper') THEN t.class
       WHEN regexp_matches(t.cmdline, 'resource_tracker|semaphore_tracker|compile_worker|(?:^|[/ ])(?:torchrun|torchelastic|srun|mpirun|accelerate launch)(?: |$)|torch[./]distributed[./](?:run|launch)\b|deepspeed\.launcher|wandb-|tensorboard|(?:^|/)(?:bash|sh) ') THEN 'launcher'
       WHEN t.class = 'idle-service' THEN 'service'
       ELSE 'rank' END AS role
FROM timed AS t JOIN file AS f USING (file_id)
LEFT JOIN pid_of AS p ON p.file_id = t.file_id AND p.stream = t.stream AND p.unit_head IS NOT DISTINCT FROM t.unit_head AND p.nth = t.nth;

-- --- the rank of a dump, and which of several dumps of a process is the last ---------------------------------------------

-- What logs say of rank and pid; a pid that two hosts use needs the host.
CREATE TABLE stack_known_rank AS
WITH said AS (
  SELECT DISTINCT rank, pid, host, local_rank FROM identity WHERE rank IS NOT NULL AND pid IS NOT NULL
  UNION SELECT DISTINCT rank, pid, host, local_rank FROM exit WHERE rank IS NOT NULL AND pid IS NOT NULL
)
SELECT pid, rank, max(host) AS host, max(local_rank) AS local_rank, count(*) OVER (PARTITION BY pid) AS claims FROM said GROUP BY pid, rank;

CREATE TABLE stack_main AS
WITH local AS (
  SELECT file_id, thread_line, max(CASE WHEN name IN ('rank', 'global_rank', 'my_rank') THEN try_cast(value AS BIGINT) END) AS rank,
    max(CASE WHEN name = 'local_rank' THEN try_cast(value AS BIGINT) END) AS local_rank,
    max(CASE WHEN name IN ('world', 'world_size', 'nranks') THEN try_cast(value AS BIGINT) END) AS world_size,
    max(CASE WHEN name IN ('step', 'global_step', 'iteration', 'it', 'cur_step') THEN try_cast(value AS BIGINT) END) AS step
  FROM stack_local GROUP BY ALL
), other_threads AS (
  SELECT d.dump, list_sort(list(p.tid)) AS tids FROM stack_dump AS d JOIN stack_position AS p ON p.file_id = d.file_id AND p.stream = d.stream
    AND p.unit_head IS NOT DISTINCT FROM d.unit_head AND p.nth = d.nth AND p.line_no <> d.thread_line AND p.tid IS NOT NULL GROUP BY d.dump
), program AS (
  SELECT dump, program, count(DISTINCT pid) OVER (PARTITION BY program) AS processes
  FROM (SELECT dump, pid, regexp_replace(regexp_replace(cmdline, '^(ray::[0-9A-Za-z_]+).*', '\1'), '[0-9]+', '#', 'g') AS program
        FROM stack_dump WHERE role = 'rank' AND nullif(cmdline, '') IS NOT NULL)
), program_count AS (
  SELECT max(processes) AS most, (SELECT count(DISTINCT pid) FROM stack_dump WHERE role = 'rank' AND nullif(cmdline, '') IS NOT NULL) AS processes FROM program
), d AS (
  SELECT d.*, l.rank AS local_says_rank, coalesce(l.local_rank, d.local_rank) AS printed_local_rank, l.world_size AS local_world_size, l.step,
    try_cast(nullif(regexp_extract(cmdline, '--local[-_]rank[= ]([0-9]+)', 1), '') AS BIGINT) AS option_local_rank,
    try_cast(nullif(regexp_extract(cmdline, '(?:^| )--(?:global[-_])?rank[= ]([0-9]+)', 1), '') AS BIGINT) AS option_rank,
    try_cast(nullif(regexp_extract(cmdline, '--node[-_]rank[= ]([0-9]+)', 1), '') AS BIGINT) AS option_node,
    try_cast(nullif(regexp_extract(cmdline, '(?:_|::)TP([0-9]+)', 1), '') AS BIGINT) AS title_tp,
    try_cast(nullif(regexp_extract(cmdline, '(?:_|::)PP([0-9]+)', 1), '') AS BIGINT) AS title_pp,
    d.role IN ('rank', 'service') AS may_be_rank,
    -- Ranks run one program: who runs another beside many of them is their driver or a server of the job.
    d.role = 'rank' AND p.program IS NOT NULL AND c.most >= 2 AND 3 * c.most >= 2 * c.processes AND 3 * p.processes <= c.processes AS runs_other_program
  FROM stack_dump AS d LEFT JOIN program AS p ON p.dump = d.dump CROSS JOIN program_count AS c LEFT JOIN local AS l ON l.file_id = d.file_id AND l.thread_line = d.thread_line
), mapped AS (
  SELECT d.*, k.rank AS log_rank, coalesce(d.host, k.host) AS at_host
  FROM d LEFT JOIN stack_known_rank AS k ON k.pid = d.pid AND d.may_be_rank
    AND (d.host IS NULL OR k.host IS NULL OR k.host = d.host OR starts_with(k.host, d.host || '.') OR starts_with(d.host, k.host || '.')) AND (k.claims = 1 OR k.host = d.host)
), node AS (
  SELECT at_host, max(coalesce(option_local_rank, printed_local_rank)) + 1 AS per_node, dense_rank() OVER (ORDER BY max(option_node), natural_order(at_host)) - 1 AS node_index
  FROM mapped WHERE may_be_rank GROUP BY at_host
), tasks AS (
  SELECT count(DISTINCT task) = count(DISTINCT coalesce(at_host, '') || ':' || coalesce(pid, -1)) AND count(DISTINCT task) > 1 AS is_rank FROM mapped WHERE may_be_rank AND task IS NOT NULL
), title AS (SELECT max(title_tp) + 1 AS tp FROM d),
guess AS (
  SELECT at_host, pid, row_number() OVER (ORDER BY at_host, pid) - 1 AS rank FROM (SELECT DISTINCT at_host, pid FROM mapped WHERE role = 'rank' AND NOT coalesce(runs_other_program, false) AND pid IS NOT NULL AND source_kind <> 'backtrace')
  WHERE (SELECT count(DISTINCT coalesce(at_host, '')) = 1 AND count(DISTINCT pid) > 1 FROM mapped WHERE role = 'rank' AND source_kind <> 'backtrace')
), ranked AS (
  SELECT m.* EXCLUDE (rank) REPLACE (CASE WHEN runs_other_program AND coalesce(m.rank, log_rank, option_rank, local_says_rank) IS NULL THEN 'other' ELSE m.role END AS role),
    CASE WHEN NOT may_be_rank THEN m.rank
      ELSE coalesce(m.rank, log_rank, option_rank, local_says_rank, CASE WHEN (SELECT is_rank FROM tasks) THEN task END,
        coalesce(option_local_rank, printed_local_rank) + coalesce(n.node_index * CASE WHEN (SELECT count(DISTINCT per_node) FROM node) = 1 THEN n.per_node END, 0),
        title_tp + coalesce(title_pp, 0) * (SELECT tp FROM title)) END AS said_rank,
    coalesce(m.rank, log_rank, option_rank) IS NOT NULL AS surely, g.rank AS guessed
  FROM mapped AS m LEFT JOIN node AS n ON n.at_host IS NOT DISTINCT FROM m.at_host
  LEFT JOIN guess AS g ON g.at_host IS NOT DISTINCT FROM m.at_host AND g.pid = m.pid
), keyed AS (
  SELECT *, CASE WHEN said_rank IS NOT NULL AND may_be_rank THEN said_rank
                 WHEN may_be_rank AND (SELECT count(*) FROM ranked WHERE said_rank IS NOT NULL AND may_be_rank) = 0 THEN guessed END AS rank,
    -- A local rank and the order of host names make a rank only if the launch kept that order.
    said_rank IS NULL OR (NOT surely AND local_says_rank IS NULL AND (SELECT count(*) FROM node) > 1 AND coalesce(option_local_rank, printed_local_rank) IS NOT NULL) AS rank_guessed
  FROM ranked
), named AS (
  SELECT *, CASE WHEN may_be_rank AND rank IS NOT NULL THEN 'rank ' || rank
                 WHEN pid IS NOT NULL THEN coalesce(at_host, '') || ' pid ' || pid || CASE WHEN is_namesake THEN ' in ' || file || ':' || line_no ELSE '' END
                 ELSE file || ':' || line_no END AS process
  FROM (
    -- Containers all have a process 1: threads of one process keep their ids, so two that share none are two processes.
    SELECT k.*, pid IS NOT NULL AND coalesce(len(list_intersect(o.tids, first_value(o.tids) OVER same)) = 0 AND len(first_value(o.tids) OVER same) > 0, false) AS is_namesake
    FROM keyed AS k LEFT JOIN other_threads AS o USING (dump) WINDOW same AS (PARTITION BY at_host, pid ORDER BY file_order, line_no))
), nth AS (
  -- File names keep the order of snapshots, unless times are known.
  SELECT *, row_number() OVER (PARTITION BY process ORDER BY time NULLS FIRST, file_order, line_no) AS snapshot,
    count(*) OVER (PARTITION BY process) AS snapshots
  FROM named
)
SELECT dump, file_id, line_no, thread_line, file, source_kind, is_json, watched, process, rank, rank_guessed, surely, at_host AS host, pid, role, cmdline, occasion, failure, failure_line, time,
  snapshot, snapshots, status, class, awaits, decided, top, own, path, own_path, array_to_string(path, ' > ') AS signature, innermost, in_queue_get, holds_out_for_lock, worker_wants_lock, step,
  local_world_size AS world_size,
  class IN ('collective-wait', 'collective-launch', 'p2p-wait', 'gpu-sync', 'store-wait', 'init') AS waits_for_peers,
  coalesce(array_to_string(coalesce(nullif(own_path, []), path), ' > '), decided.f, innermost, '') AS place,
  -- The same without paths, which tools shorten differently: to compare two dumps of one process.
  array_to_string(list_transform(coalesce(nullif(own_path, []), path), lambda x: regexp_replace(x, ' \([^()]*?(?::([0-9]+))?\)$', ' \1')), ' > ') AS own_key,
  array_to_string(list_transform(path, lambda x: regexp_replace(x, ' \([^()]*?(?::([0-9]+))?\)$', ' \1')), ' > ') AS full_key
FROM nth;
