-- strace: from lines to calls, threads, descriptors and what each thread waits for.
-- A trace can have ten million lines, nearly all of them dull: only what is notable is kept as a table.

CREATE MACRO strace_fd(args) AS TRY_CAST(regexp_extract(args, '^([0-9]+)(?:[<,)]|$)', 1) AS BIGINT);
-- What -y or -yy says the first argument is: a path, TCP:[here->there], pipe:[..], anon_inode:..
CREATE MACRO strace_fd_is(args) AS nullif(regexp_extract(args, '^[0-9]+<((?:->|<[^>]*>|[^<>])*)>', 1), '');
CREATE MACRO strace_joined_path(folder, name) AS
  CASE WHEN name = '' THEN NULL WHEN name[1] = '/' OR folder = '' THEN name ELSE rtrim(folder, '/') || '/' || name END;
-- The path among the arguments, under the folder -y tells of. What read and write are given in quotes is data.
CREATE MACRO strace_path(call, args) AS CASE
  WHEN args[1] = '"' THEN nullif(regexp_extract(args, '^"((?:[^"\\]|\\.)*)"', 1), '')
  WHEN regexp_matches(call, 'at2?$|^statx$') THEN strace_joined_path(
    regexp_extract(args, '^(?:AT_FDCWD|[0-9]+)<((?:->|<[^>]*>|[^<>])*)>, "', 1),
    regexp_extract(args, '^(?:AT_FDCWD|[0-9]+)(?:<(?:->|<[^>]*>|[^<>])*>)?, "((?:[^"\\]|\\.)*)"', 1)) END;
CREATE MACRO strace_host_port(address, port) AS
  CASE WHEN address = '' OR port = '' THEN NULL
       WHEN contains(replace(address, '::ffff:', ''), ':') THEN '[' || address || ']:' || port
       ELSE replace(address, '::ffff:', '') || ':' || port END;
-- The address in a sockaddr.
CREATE MACRO strace_sockaddr(args) AS strace_host_port(
  regexp_extract(args, '(?:sin_addr=inet_addr\("|inet_pton\(AF_INET6, ")([0-9A-Fa-f:.]+)"', 1), regexp_extract(args, 'sin6?_port=htons\(([0-9]+)\)', 1));
-- The far end of a connected socket under -yy.
CREATE MACRO strace_far_end(fd_is) AS nullif(replace(regexp_extract(fd_is, '^(?:TCP|UDP|SCTP|DCCP|UDPLITE)(?:v6)?:\[.*->(.*)\]$', 1), '::ffff:', ''), '');
-- Seconds on the clock of the trace: of the day, going on beyond midnight, or since the epoch.
CREATE MACRO strace_at(clock, first) AS clock + CASE WHEN first < 100000 AND clock < first - 3600 THEN 86400 ELSE 0 END;

-- What an everyday call returned, as strace_line has it: an address is not kept.
CREATE MACRO strace_result(call, returned) AS CASE WHEN returned <> 0 OR call NOT IN ('mmap', 'mremap', 'brk') THEN returned::VARCHAR END;

CREATE VIEW strace_said AS
SELECT file_id, line_no, pid, kind, clock, relative FROM strace_line
UNION ALL SELECT file_id, line_no, pid, 'call', clock, NULL FROM strace_quick
UNION ALL SELECT file_id, line_no, pid, 'unfinished', clock, NULL FROM strace_begun
UNION ALL SELECT file_id, line_no, pid, 'resumed', clock, NULL FROM strace_returned;

COMMENT ON VIEW strace_said IS 'every line of a trace: whose, of what kind, when';

-- One row per file; the files of strace -ff (one per thread, its id behind the last dot) make one trace together.
CREATE TABLE strace_file AS
WITH lines AS (
  SELECT file_id, count(pid) FILTER (kind NOT IN ('attached', 'detached')) AS named, min(pid) FILTER (kind NOT IN ('attached', 'detached')) AS lowest,
         min_by(pid, line_no) FILTER (kind = 'attached') AS attached, min_by(clock, line_no) AS first_clock, max_by(clock, line_no) AS last_clock,
         max(line_no) FILTER (kind NOT IN ('attached', 'detached', 'rest')) AS last_line, max(line_no) FILTER (kind IN ('call', 'resumed', 'signal')) AS last_moving, count(relative) AS relatives
  FROM strace_said GROUP BY file_id
)
SELECT f.file_id, f.path, CASE WHEN l.named = 0 THEN regexp_replace(f.path, '\.[0-9]+(\.(?:gz|xz|zst|bz2))?$', '') ELSE f.path END AS trace,
       coalesce(CASE WHEN l.named = 0 THEN TRY_CAST(coalesce(nullif(regexp_extract(f.path, '\.([0-9]{1,10})(?:\.(?:gz|xz|zst|bz2))?$', 1), ''),
                nullif(regexp_extract(f.path, '(?:^|[^0-9A-Za-z])(?:pid)?([0-9]{2,10})(?:\.[a-z]+)*$', 1), '')) AS BIGINT) END, l.attached, l.lowest, 0) AS own_tid,
       f.host, f.rank, l.first_clock, l.last_clock, l.last_line, l.last_moving, l.relatives > 0 AS relative,
       date_trunc('day', make_timestamp((f.mtime_ns // 1000)::BIGINT)) AS day
FROM lines l JOIN file f USING (file_id);

-- Under -r alone a line tells the time since the line before: added up, the time since the start.
CREATE TABLE strace_elapsed AS
SELECT file_id, line_no, sum(relative) OVER (PARTITION BY file_id ORDER BY line_no) AS elapsed FROM strace_line WHERE relative IS NOT NULL AND clock IS NULL;

CREATE VIEW strace_event AS
SELECT l.file_id, l.line_no, f.trace, CASE WHEN l.kind IN ('attached', 'detached') THEN l.pid ELSE coalesce(l.pid, f.own_tid) END AS tid,
       coalesce(strace_at(l.clock, f.first_clock), e.elapsed) AS at_s, l.kind, l.syscall, l.args, l.result, l.target, l.errno, l.said, l.injected, l.seconds, l.signal_name, l.host, l.rank
FROM strace_line l JOIN strace_file f USING (file_id) LEFT JOIN strace_elapsed e ON e.file_id = l.file_id AND e.line_no = l.line_no;

-- Each thread's last word, and whether it ended.
CREATE TABLE strace_tail AS
SELECT f.file_id, any_value(f.trace) AS trace, coalesce(l.pid, f.own_tid) AS tid, min(l.line_no) AS first_line, max(l.line_no) AS last_line,
       max_by(l.kind, l.line_no) AS last_kind, bool_or(l.kind IN ('exit', 'killed')) AS ended, count(*) AS lines, count(*) FILTER (l.kind IN ('call', 'resumed')) AS returns
FROM strace_said l JOIN strace_file f USING (file_id) WHERE l.kind NOT IN ('attached', 'detached', 'rest') GROUP BY f.file_id, coalesce(l.pid, f.own_tid);

-- The end of a trace on its own clock.
CREATE TABLE strace_end AS
SELECT trace, max(coalesce(strace_at(last_clock, first_clock), elapsed)) AS at_s, min(coalesce(strace_at(first_clock, first_clock), 0)) AS began
FROM (SELECT f.*, e.elapsed FROM strace_file f LEFT JOIN strace_elapsed e ON e.file_id = f.file_id AND e.line_no = f.last_line) GROUP BY trace;

-- Two halves joined: the next word of a thread in a call is the call's return, or the thread's end, or nothing. Joining costs a sort: where
-- not every call is asked for, of the everyday ones only those are joined that may have taken long, failed, or not returned.
CREATE MACRO strace_joined(every) AS TABLE
WITH ends AS (
  SELECT file_id, line_no, pid, syscall FROM strace_returned WHERE every OR seconds IS NULL OR errno = 'ETIMEDOUT' AND syscall <> 'futex' OR errno = 'EAGAIN' AND syscall = 'mmap'
    OR (file_id, syscall) IN (SELECT (file_id, syscall) FROM strace_line WHERE kind = 'cut')
), halves AS (
  SELECT l.file_id, l.line_no, coalesce(l.pid, f.own_tid) AS tid, l.kind FROM strace_line l JOIN strace_file f USING (file_id) WHERE l.kind IN ('unfinished', 'cut', 'resumed', 'exit', 'killed')
  UNION ALL SELECT file_id, line_no, pid, 'begun' FROM strace_begun b
  WHERE every OR (file_id, pid, syscall) IN (SELECT (file_id, pid, syscall) FROM ends UNION ALL SELECT (file_id, pid, syscall) FROM strace_line WHERE kind = 'resumed')
    OR (file_id, line_no) IN (SELECT (file_id, last_line) FROM strace_tail)
  UNION ALL SELECT file_id, line_no, pid, 'resumed' FROM ends
), pairs AS (
  SELECT *, lead(line_no) OVER thread AS next_line, lead(kind) OVER thread AS next_kind FROM halves WINDOW thread AS (PARTITION BY file_id, tid ORDER BY line_no)
)
SELECT h.file_id, h.line_no, CASE WHEN h.next_kind = 'resumed' THEN h.next_line END AS end_line, t.last_line = h.line_no AND NOT t.ended AS never_returned
FROM pairs h JOIN strace_tail t ON t.file_id = h.file_id AND t.tid = h.tid
WHERE h.kind = 'unfinished' OR h.kind = 'cut' AND h.next_kind = 'resumed' AND h.tid <> 0 OR h.kind = 'begun' AND (every OR h.next_kind = 'resumed' OR t.last_line = h.line_no);

CREATE TABLE strace_halves AS FROM strace_joined(false);

-- A line that broke in the middle, with its rest if that follows.
CREATE TABLE strace_cut AS
WITH parts AS (
  SELECT file_id, line_no, kind, lead(kind) OVER file AS next_kind, lead(line_no) OVER file AS next_line
  FROM strace_line WHERE kind IN ('cut', 'rest') WINDOW file AS (PARTITION BY file_id ORDER BY line_no)
)
SELECT p.file_id, p.line_no, CASE WHEN next_kind = 'rest' AND next_line - p.line_no <= 3 AND r.result IS NOT NULL THEN next_line END AS end_line,
       NOT (r.result IS NOT NULL AND next_line - p.line_no <= 3) AND NOT t.ended AND t.last_line = p.line_no AS never_returned
FROM parts p JOIN strace_line l USING (file_id, line_no) JOIN strace_file f USING (file_id)
JOIN strace_tail t ON t.file_id = p.file_id AND t.tid = coalesce(l.pid, f.own_tid)
LEFT JOIN strace_line r ON r.file_id = p.file_id AND r.line_no = p.next_line AND r.kind = 'rest'
WHERE p.kind = 'cut' AND NOT EXISTS (FROM strace_halves h WHERE h.file_id = p.file_id AND h.line_no = p.line_no);

CREATE VIEW strace_opening AS
SELECT file_id, line_no, trace, tid, at_s, kind, syscall, args, said, host, rank FROM strace_event WHERE kind IN ('unfinished', 'cut') OR kind = 'call' AND errno LIKE 'ERESTART%'
UNION ALL SELECT b.file_id, b.line_no, f.trace, b.pid, strace_at(b.clock, f.first_clock), 'unfinished', b.syscall, b.args, NULL, f.host, f.rank FROM strace_begun b JOIN strace_file f USING (file_id);

CREATE VIEW strace_ending AS
SELECT file_id, line_no, clock, args, result, target, errno, said, injected, seconds FROM strace_line WHERE kind IN ('resumed', 'rest')
UNION ALL SELECT file_id, line_no, clock, NULL, strace_result(syscall, returned), NULL, errno, NULL, NULL, seconds FROM strace_returned;

CREATE MACRO strace_call(every) AS TABLE
SELECT file_id, line_no, line_no AS end_line, trace, tid, at_s, syscall, args, result, target, errno, said, injected, seconds,
       -- An older strace that is told to end breaks into the call its thread sat in: it would have been restarted.
       coalesce(errno LIKE 'ERESTART%', false) AND (file_id, line_no) IN (SELECT (file_id, last_line) FROM strace_tail WHERE NOT ended) AS never_returned, host, rank
FROM strace_event WHERE kind = 'call'
UNION ALL
SELECT b.file_id, b.line_no, coalesce(h.end_line, b.line_no), b.trace, b.tid, b.at_s, b.syscall,
       CASE WHEN b.kind = 'cut' THEN regexp_replace(b.args, '(?:\^C)?(?:(?:/[^ ]*/)?strace: )?Process [0-9]+ (?:attached|detached).*$|\^C$', '') ELSE rtrim(b.args, ' ,') END
         || coalesce(CASE WHEN b.args = '' OR e.args = '' OR b.kind = 'cut' AND ends_with(b.args, ', ') OR starts_with(e.args, ',') THEN '' ELSE ', ' END || e.args, ''),
       e.result, e.target, e.errno, e.said, e.injected,
       coalesce(e.seconds, CASE WHEN e.clock IS NOT NULL THEN strace_at(e.clock, f.first_clock) - b.at_s END), h.never_returned, b.host, b.rank
FROM (SELECT * FROM strace_halves WHERE NOT every UNION ALL SELECT * FROM strace_joined(true) WHERE every UNION ALL SELECT * FROM strace_cut) h
JOIN strace_opening b ON b.file_id = h.file_id AND b.line_no = h.line_no
JOIN strace_file f ON f.file_id = h.file_id
LEFT JOIN strace_ending e ON e.file_id = h.file_id AND e.line_no = h.end_line;

CREATE VIEW strace_quick_call AS
SELECT q.file_id, q.line_no, q.line_no AS end_line, f.trace, coalesce(q.pid, f.own_tid) AS tid, strace_at(q.clock, f.first_clock) AS at_s, q.syscall, q.args, strace_result(q.syscall, q.returned) AS result, NULL::VARCHAR AS target, q.errno, NULL::VARCHAR AS said,
       NULL::VARCHAR AS injected, q.seconds, false AS never_returned, f.host, f.rank
FROM strace_quick q JOIN strace_file f USING (file_id);

-- What rules look at: calls that made something, failed in more than a usual way, took long, or never returned.
CREATE TABLE strace_notable AS
SELECT * FROM strace_call(false)
WHERE never_returned OR seconds >= 1
   OR syscall IN ('clone', 'clone3', 'fork', 'vfork', 'socket', 'connect', 'accept', 'accept4', 'flock', 'kill', 'tgkill', 'statfs', 'fstatfs', 'prlimit64', 'getrlimit', 'ugetrlimit', 'setrlimit')
   OR (syscall IN ('open', 'openat', 'creat', 'pipe', 'pipe2') AND errno IS NULL)
   OR (syscall = 'fcntl' AND contains(args, 'SETLK'))
   OR (syscall = 'getsockopt' AND contains(args, 'SO_ERROR'))
   OR (syscall IN ('poll', 'ppoll') AND contains(args, 'POLLOUT') AND said = 'Timeout')
   OR errno IN ('ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EIO', 'ESTALE', 'EROFS', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'ECONNRESET')
   OR (errno = 'ETIMEDOUT' AND syscall NOT LIKE 'futex%')
   OR (errno = 'EAGAIN' AND syscall IN ('clone', 'clone3', 'fork', 'vfork', 'mlock', 'mmap'))
UNION ALL BY NAME
SELECT * FROM strace_quick_call WHERE errno = 'ETIMEDOUT' AND syscall <> 'futex' OR errno = 'EAGAIN' AND syscall = 'mmap';

CREATE TABLE strace_clone AS
SELECT trace, file_id, line_no, tid AS parent, TRY_CAST(result AS BIGINT) AS child, contains(args, 'CLONE_THREAD') AS thread
FROM strace_notable WHERE syscall IN ('clone', 'clone3', 'fork', 'vfork') AND TRY_CAST(result AS BIGINT) > 0;

-- Threads and the process each belongs to. Main threads are known by how they were made, by the signals their parents get,
-- and by other logs. A thread whose making was not seen belongs to the one main thread there is, or to nobody known.
CREATE TABLE strace_thread AS
WITH RECURSIVE mains AS (
  SELECT trace, child AS tid FROM strace_clone WHERE NOT thread
  UNION SELECT trace, TRY_CAST(regexp_extract(args, 'si_code=CLD_[A-Z]+, si_pid=([0-9]+)', 1) AS BIGINT) FROM strace_event WHERE kind = 'signal' AND signal_name = 'SIGCHLD'
  UNION SELECT trace, TRY_CAST(regexp_extract(args, '^([0-9]+)', 1) AS BIGINT) FROM strace_notable WHERE syscall IN ('kill', 'tgkill')
  UNION SELECT trace, min(tid) FROM strace_tail GROUP BY trace
  UNION SELECT f.trace, l.pid FROM strace_line l JOIN strace_file f USING (file_id) WHERE l.kind = 'attached' AND l.threads IS NOT NULL
  UNION SELECT t.trace, t.tid FROM strace_tail t SEMI JOIN identity i ON i.pid = t.tid
  UNION SELECT t.trace, t.tid FROM strace_tail t SEMI JOIN "exit" x ON x.pid = t.tid
), walk AS (
  SELECT DISTINCT trace, tid, tid AS top FROM strace_tail
  UNION SELECT w.trace, w.tid, c.parent FROM walk w JOIN strace_clone c ON c.trace = w.trace AND c.child = w.top AND c.thread
), tops AS (
  SELECT w.trace, w.tid, w.top FROM walk w WHERE NOT EXISTS (FROM strace_clone c WHERE c.trace = w.trace AND c.child = w.top AND c.thread)
), processes AS (
  SELECT t.trace, t.tid, CASE WHEN bool_or(m.tid = t.top) THEN any_value(t.top) WHEN count(m.tid) = 1 THEN any_value(m.tid) END AS process
  FROM tops t LEFT JOIN mains m ON m.trace = t.trace AND m.tid <= t.top GROUP BY ALL
), named AS (
  SELECT pid, any_value(rank) AS rank, any_value(host) AS host FROM (
    SELECT pid, rank, host FROM identity UNION ALL SELECT pid, rank, host FROM "exit" UNION ALL SELECT pid, rank, host FROM stack_process)
  WHERE pid IS NOT NULL AND rank IS NOT NULL GROUP BY pid HAVING count(DISTINCT rank) = 1
), of_file AS (
  SELECT f.trace, coalesce(any_value(l.rank), any_value(f.rank)) AS rank, coalesce(any_value(l.host), any_value(f.host)) AS host
  FROM strace_file f LEFT JOIN (FROM strace_line WHERE rank IS NOT NULL OR host IS NOT NULL) l USING (file_id)
  WHERE l.rank IS NOT NULL OR l.host IS NOT NULL OR f.rank IS NOT NULL OR f.host IS NOT NULL GROUP BY f.trace
)
SELECT p.trace, p.tid, p.process AS pid, coalesce(p.tid = p.process, false) AS main,
       coalesce(n.rank, CASE WHEN NOT EXISTS (FROM processes q JOIN named m ON m.pid = q.process WHERE q.trace = p.trace) THEN o.rank END) AS rank,
       coalesce(n.host, o.host) AS host, n.rank IS NOT NULL OR o.rank IS NOT NULL AS is_rank,
       count(DISTINCT p.process) OVER (PARTITION BY p.trace) AS processes
FROM processes p LEFT JOIN named n ON n.pid = p.process LEFT JOIN of_file o ON o.trace = p.trace;

-- What a descriptor was made of, for traces without -y.
CREATE TABLE fd AS
SELECT c.file_id, c.line_no, c.trace, t.pid, d.fd, d.path, d.peer, d.kind
FROM (
  SELECT *, unnest(CASE
    WHEN syscall IN ('open', 'openat', 'creat') AND result[1] BETWEEN '0' AND '9'
      THEN [{'fd': TRY_CAST(result AS BIGINT), 'path': coalesce(nullif(target[2:-2], ''), strace_path(syscall, args)), 'peer': NULL::VARCHAR, 'kind': 'file'}]
    WHEN syscall = 'socket' AND result[1] BETWEEN '0' AND '9'
      THEN [{'fd': TRY_CAST(result AS BIGINT), 'path': NULL, 'peer': NULL, 'kind': CASE WHEN contains(args, 'SOCK_DGRAM') THEN 'datagram' WHEN contains(args, 'AF_INET') THEN 'stream' WHEN contains(args, 'UNIX') OR contains(args, 'AF_LOCAL') THEN 'unix' ELSE 'other' END}]
    WHEN syscall = 'connect' THEN [{'fd': strace_fd(args), 'path': NULL, 'peer': strace_sockaddr(args), 'kind': 'connect'}]
    WHEN syscall IN ('accept', 'accept4') AND result[1] BETWEEN '0' AND '9' THEN [{'fd': TRY_CAST(result AS BIGINT), 'path': NULL, 'peer': strace_sockaddr(args), 'kind': 'stream'}]
    WHEN syscall IN ('pipe', 'pipe2') AND result = '0'
      THEN [{'fd': TRY_CAST(regexp_extract(args, '^\[([0-9]+)', 1) AS BIGINT), 'path': 'pipe', 'peer': NULL, 'kind': 'pipe'},
            {'fd': TRY_CAST(regexp_extract(args, '^\[[0-9]+(?:<[^>]*>)?, ([0-9]+)', 1) AS BIGINT), 'path': 'pipe', 'peer': NULL, 'kind': 'pipe'}]
  END) AS d FROM strace_notable
) c JOIN strace_thread t ON t.trace = c.trace AND t.tid = c.tid
WHERE d.fd IS NOT NULL;

COMMENT ON TABLE fd IS 'what a file descriptor of a traced process stands for, from the call that made it: path of a file, peer of a connection';

-- Every call with names resolved as far as the line itself tells; see fd for traces without -y.
CREATE VIEW syscall AS
SELECT c.file_id, c.line_no, c.end_line, make_timestamp((epoch_us(CASE WHEN c.at_s < 100000 THEN f.day ELSE TIMESTAMP '1970-01-01' END) + c.at_s * 1000000)::BIGINT) AS time,
       c.trace, t.pid, c.tid, t.rank, coalesce(t.host, c.host) AS host, c.syscall, c.args, c.at_s AS start, c.seconds, c.result, c.errno,
       strace_fd(c.args) AS fd, coalesce(strace_path(c.syscall, c.args), CASE WHEN strace_fd_is(c.args)[1] = '/' THEN strace_fd_is(c.args) END) AS path,
       coalesce(strace_sockaddr(c.args), strace_far_end(strace_fd_is(c.args))) AS peer, c.never_returned
FROM (FROM strace_call(true) UNION ALL FROM strace_quick_call) c JOIN strace_thread t ON t.trace = c.trace AND t.tid = c.tid JOIN strace_file f ON f.file_id = c.file_id;

COMMENT ON VIEW syscall IS 'one row per system call, halves joined: start and seconds on the clock of the trace, path and peer from its arguments, never_returned where the thread still sat in it at the end';

-- Notable calls with everything resolved: the thread, the descriptor, a time in UTC.
CREATE TABLE strace_known AS
WITH calls AS (
  SELECT c.*, t.pid, t.main, t.is_rank, t.processes, t.rank AS of_rank, coalesce(t.host, c.host) AS of_host, f.day, row_number() OVER (ORDER BY c.file_id, c.line_no) AS n,
         CASE WHEN c.syscall NOT IN ('exit', 'exit_group', 'wait4', 'waitid', 'kill', 'tgkill', 'tkill', 'clone', 'clone3', 'mmap', 'munmap', 'brk', 'futex', 'prlimit64', 'alarm')
              THEN strace_fd(c.args) END AS fd,
         strace_fd_is(c.args) AS fd_is, strace_path(c.syscall, c.args) AS arg_path, strace_sockaddr(c.args) AS arg_peer
  FROM strace_notable c JOIN strace_thread t ON t.trace = c.trace AND t.tid = c.tid JOIN strace_file f ON f.file_id = c.file_id
  WHERE c.errno IS NOT NULL OR c.never_returned OR c.seconds >= 1 OR c.syscall NOT IN ('open', 'openat', 'creat', 'pipe', 'pipe2', 'socket', 'accept', 'accept4', 'clone', 'clone3', 'fork', 'vfork', 'statfs', 'fstatfs', 'prlimit64', 'getrlimit', 'ugetrlimit', 'setrlimit')
), opened AS (   -- the latest call before this one that made the descriptor
  SELECT c.n, o.path, o.kind FROM calls c ASOF JOIN (FROM fd WHERE kind <> 'connect') o ON o.file_id = c.file_id AND o.pid = c.pid AND o.fd = c.fd AND o.line_no < c.line_no
), connected AS (
  SELECT c.n, o.peer, o.line_no AS connect_line FROM calls c ASOF JOIN (FROM fd WHERE peer IS NOT NULL) o ON o.file_id = c.file_id AND o.pid = c.pid AND o.fd = c.fd AND o.line_no <= c.line_no
)
SELECT c.file_id, c.line_no, c.end_line, c.trace, c.tid, c.pid, c.main, c.is_rank, c.processes, c.of_rank AS rank, c.of_host AS host, c.at_s, c.seconds,
       make_timestamp((epoch_us(CASE WHEN c.at_s < 100000 THEN c.day ELSE TIMESTAMP '1970-01-01' END) + c.at_s * 1000000)::BIGINT) AS time,
       c.syscall, c.args, c.result, c.target, c.errno, c.said, c.injected, c.never_returned, c.fd,
       coalesce(c.arg_path, CASE WHEN c.fd_is[1] = '/' THEN c.fd_is WHEN c.fd_is IS NULL THEN o.path END) AS path,
       coalesce(c.arg_peer, strace_far_end(c.fd_is), CASE WHEN c.fd_is IS NULL OR starts_with(c.fd_is, 'socket:') OR starts_with(c.fd_is, 'TCP') THEN k.peer END) AS peer,
       k.connect_line,
       CASE WHEN c.fd_is[1] = '/' THEN 'file' WHEN starts_with(c.fd_is, 'UDP') THEN 'datagram' WHEN starts_with(c.fd_is, 'TCP') THEN 'stream' WHEN starts_with(c.fd_is, 'UNIX') THEN 'unix'
            WHEN starts_with(c.fd_is, 'pipe:') THEN 'pipe' WHEN starts_with(c.fd_is, 'socket:') THEN coalesce(o.kind, 'stream') WHEN c.fd_is IS NOT NULL THEN 'other'
            ELSE o.kind END AS fd_kind
FROM calls c LEFT JOIN opened o USING (n) LEFT JOIN connected k USING (n);

-- What statfs said of the file systems below a path.
CREATE TABLE strace_filesystem AS
SELECT trace, path, any_value(CASE f_type WHEN 'LL' THEN 'lustre' WHEN 'GPFS' THEN 'gpfs' WHEN 'EXT2' THEN 'ext4' ELSE lower(f_type) END) AS filesystem
FROM (
  SELECT l.trace, rtrim(coalesce(strace_path(l.syscall, l.args), strace_fd_is(l.args)), '/') AS path,
         coalesce(nullif(regexp_extract(l.args, 'f_type=([A-Z0-9]+?)_?(?:SUPER_)?MAGIC', 1), ''), CASE WHEN contains(l.args, 'f_type=0x47504653') THEN 'GPFS' WHEN contains(l.args, 'f_type=0xbd00bd0') THEN 'LL' END) AS f_type
  FROM strace_notable l WHERE l.syscall IN ('statfs', 'fstatfs') AND l.result = '0'
) WHERE path[1] = '/' AND f_type IS NOT NULL GROUP BY ALL;

-- What each thread still sat in when the trace ended. seconds is a lower bound: the call may be older than the trace.
CREATE TABLE waiting_for_syscall AS
SELECT k.*, round(e.at_s - k.at_s, 3) AS waited_seconds, t.lines AS thread_lines, t.returns = 0 AS never_moved, f.last_line - k.line_no AS lines_since,
  (SELECT max_by(m.filesystem, length(m.path)) FROM strace_filesystem m WHERE m.trace = k.trace AND (k.path = m.path OR starts_with(k.path, m.path || '/'))) AS filesystem,
  -- under FUTEX_WAIT the last argument but a mask is how long to wait
  CASE WHEN k.syscall LIKE 'futex%' THEN NOT regexp_matches(k.args, ', NULL(?:, |$)') END AS has_deadline,
  -- the trace was stopped, or copied, in the middle of this call, or no thread went on after it began
  k.line_no = f.last_line AND (b.kind IN ('cut', 'call') OR b.said = 'detached') OR k.line_no < f.last_line AND coalesce(f.last_moving, 0) < k.line_no AS caught_in_it,
  -- what this thread did to the same file before: a busy program is always in the middle of something
  EXISTS (FROM strace_quick q WHERE q.file_id = k.file_id AND q.line_no < k.line_no AND q.syscall = k.syscall AND coalesce(q.pid, f.own_tid) = b.tid AND starts_with(k.args, q.args))
    OR EXISTS (FROM strace_line q WHERE q.kind = 'call' AND q.errno IS NULL AND q.file_id = k.file_id AND q.line_no < k.line_no AND q.syscall = k.syscall AND coalesce(q.pid, f.own_tid) = b.tid
               AND CASE WHEN k.fd IS NOT NULL THEN strace_fd(q.args) = k.fd ELSE contains(q.args, '"' || k.path || '"') END)
    OR EXISTS (FROM fd o WHERE o.trace = k.trace AND o.line_no < k.line_no AND o.path = k.path AND k.syscall IN ('open', 'openat', 'creat'))
    OR k.syscall IN ('open', 'openat', 'creat') AND 3 <= (SELECT count(*) FROM fd o WHERE o.trace = k.trace AND o.line_no < k.line_no AND regexp_replace(o.path, '[^/]*$', '') = regexp_replace(k.path, '[^/]*$', ''))
    OR regexp_matches(k.path, '\.(?:py|pyc|so)(?:\.[0-9.]+)?$|^/(?:usr|lib|lib64|etc)/|/site-packages/|/dist-packages/') AS did_before,
  CASE WHEN k.syscall = 'flock' OR (k.syscall = 'fcntl' AND contains(k.args, 'SETLKW')) THEN 'lock'
       WHEN k.syscall = 'connect' THEN 'connect'
       WHEN k.syscall = 'restart_syscall' OR contains(k.args, 'resuming interrupted') THEN 'sleep'
       WHEN k.syscall LIKE 'futex%' THEN 'futex'
       WHEN k.syscall IN ('poll', 'ppoll', 'select', 'pselect6', 'epoll_wait', 'epoll_pwait', 'epoll_pwait2', 'io_getevents') THEN 'poll'
       WHEN k.syscall IN ('nanosleep', 'clock_nanosleep', 'pause', 'rt_sigsuspend', 'rt_sigtimedwait', 'rt_sigtimedwait_time64', 'sched_yield') THEN 'sleep'
       WHEN k.syscall IN ('wait4', 'waitid') THEN 'child'
       WHEN starts_with(k.path, '/dev/nvidia') OR starts_with(k.path, '/dev/infiniband') OR starts_with(k.path, '/dev/kfd') OR starts_with(k.path, '/dev/dri') THEN 'device'
       WHEN starts_with(k.path, '/dev/') AND NOT starts_with(k.path, '/dev/shm') OR starts_with(k.path, '/proc/') OR starts_with(k.path, '/sys/') THEN 'other'
       WHEN k.fd_kind = 'pipe' THEN 'pipe'
       WHEN k.fd_kind IN ('stream', 'datagram', 'unix') OR k.syscall IN ('recvfrom', 'recvmsg', 'recv', 'accept', 'accept4', 'sendto', 'sendmsg') THEN 'socket'
       WHEN k.path IS NOT NULL THEN 'file'
       ELSE 'other' END AS waits_on
FROM strace_known k JOIN strace_end e ON e.trace = k.trace JOIN strace_file f ON f.file_id = k.file_id JOIN strace_opening b ON b.file_id = k.file_id AND b.line_no = k.line_no
JOIN strace_tail t ON t.file_id = k.file_id AND t.tid = k.tid WHERE k.never_returned;

COMMENT ON TABLE waiting_for_syscall IS 'system calls that had not returned when the trace ended, by thread; waits_on = lock | file | device | connect | socket | pipe | futex | poll | sleep | child | other, waited_seconds a lower bound';

-- Main threads that did nothing but ask whether they may go on, in the last half minute of the trace: they wait, however busy they look.
CREATE TABLE strace_pace AS
WITH mains AS (
  SELECT t.*, l.file_id, e.at_s AS end_s FROM strace_thread t JOIN strace_tail l ON l.trace = t.trace AND l.tid = t.tid JOIN strace_end e ON e.trace = t.trace
  WHERE t.main AND NOT l.ended AND (t.is_rank OR t.processes = 1)
), calls AS (
  SELECT m.trace, m.tid, m.file_id, q.line_no, strace_at(q.clock, f.first_clock) AS at_s, q.syscall,
         q.syscall IN ('sched_yield', 'nanosleep', 'clock_nanosleep', 'clock_gettime', 'gettimeofday', 'getpid', 'futex') OR q.errno IN ('EAGAIN', 'ETIMEDOUT') OR q.syscall LIKE 'epoll_%wait' AND q.returned = 0 AS asks,
         q.syscall = 'futex' AND q.errno IS DISTINCT FROM 'ETIMEDOUT' AS woke
  FROM mains m JOIN strace_file f ON f.file_id = m.file_id
  JOIN (SELECT file_id, line_no, pid, clock, syscall, returned, errno FROM strace_quick UNION ALL SELECT file_id, line_no, pid, clock, syscall, returned, errno FROM strace_returned) q
    ON q.file_id = m.file_id AND (q.pid = m.tid OR q.pid IS NULL) AND (q.clock IS NULL OR strace_at(q.clock, f.first_clock) >= m.end_s - 30)
  UNION ALL
  SELECT m.trace, m.tid, m.file_id, q.line_no, strace_at(q.clock, f.first_clock), q.syscall,
         q.syscall IN ('sched_yield', 'nanosleep', 'clock_nanosleep', 'futex') OR q.errno IN ('EAGAIN', 'ETIMEDOUT') OR q.said = 'Timeout' OR q.syscall LIKE 'epoll_%wait' AND q.result = '0',
         q.syscall = 'futex' AND q.errno IS DISTINCT FROM 'ETIMEDOUT'
  FROM mains m JOIN strace_file f ON f.file_id = m.file_id
  JOIN strace_line q ON q.file_id = m.file_id AND (q.pid = m.tid OR q.pid IS NULL) AND q.kind IN ('call', 'resumed') AND (q.clock IS NULL OR strace_at(q.clock, f.first_clock) >= m.end_s - 30)
)
SELECT trace, tid, file_id, count(*)::BIGINT AS calls, mode(syscall) FILTER (asks) AS syscall, count(*) FILTER (asks)::BIGINT AS asking,
       min(line_no) FILTER (asks) AS first_line, max(line_no) FILTER (asks) AS last_line, max(at_s) - min(at_s) AS seconds
FROM calls GROUP BY trace, tid, file_id HAVING count(*) >= 50 AND count(*) FILTER (asks) >= 0.95 * count(*) AND count(*) FILTER (woke) <= 0.6 * count(*) AND max(at_s) - min(at_s) >= 3;

COMMENT ON TABLE strace_pace IS 'main threads whose calls of the last half minute are nearly all polls, sleeps and yields: a wait that spins';

-- Loops that wait without blocking: the same lock tried, or the same missing file looked for, again and again until the trace ends.
CREATE TABLE strace_polling AS
WITH failed AS (
  SELECT *, split_part(args, '"', 2) AS quoted FROM strace_line l
  WHERE l.kind = 'call' AND (l.errno = 'ENOENT' AND l.syscall IN ('open', 'openat', 'stat', 'lstat', 'newfstatat', 'statx', 'access', 'faccessat', 'faccessat2')
      OR l.errno = 'EEXIST' AND l.syscall IN ('open', 'openat', 'mkdir', 'link', 'linkat', 'symlink') OR l.errno IN ('EAGAIN', 'EACCES') AND l.syscall IN ('flock', 'fcntl'))
), again AS (   -- a search path is looked through once: most of what fails never fails so often, and its path need not be known
  SELECT file_id, quoted FROM failed GROUP BY ALL HAVING count(*) >= 20
), tries AS (
  SELECT l.file_id, f.trace, coalesce(l.pid, f.own_tid) AS tid, l.line_no, l.syscall, l.errno,
         CASE WHEN l.errno = 'EAGAIN' THEN strace_fd_is(l.args) ELSE strace_path(l.syscall, l.args) END AS path,
         coalesce(strace_at(l.clock, f.first_clock), e.elapsed) AS at_s,
         CASE WHEN l.errno = 'ENOENT' THEN 'missing file' ELSE 'lock' END AS waits_on
  FROM failed l SEMI JOIN again a ON a.file_id = l.file_id AND a.quoted = l.quoted
  JOIN strace_file f ON f.file_id = l.file_id LEFT JOIN strace_elapsed e ON e.file_id = l.file_id AND e.line_no = l.line_no
), loops AS (
  SELECT file_id, trace, tid, path, waits_on, any_value(syscall) AS syscall, count(*) AS tries, min(line_no) AS first_line, max(line_no) AS last_line, min(at_s) AS began, max(at_s) AS ended
  FROM tries WHERE path IS NOT NULL AND path <> '' AND NOT starts_with(path, '/proc/') AND NOT starts_with(path, '/sys/') GROUP BY ALL HAVING count(*) >= 20
), late AS (   -- still at it when the trace ended
  SELECT p.* FROM loops p JOIN strace_tail t ON t.file_id = p.file_id AND t.tid = p.tid
  WHERE NOT t.ended AND t.last_line - p.last_line <= greatest(400, 3 * (p.last_line - p.first_line) / p.tries)
), between AS (   -- what else the thread did meanwhile: a loop that only waits does little
  SELECT p.file_id, p.tid, p.path, p.waits_on, count(*) AS lines
  FROM late p JOIN strace_file f USING (file_id) JOIN strace_said l ON l.file_id = p.file_id AND l.line_no >= p.first_line AND coalesce(l.pid, f.own_tid) = p.tid GROUP BY ALL
)
SELECT p.*, round(e.at_s - p.began, 3) AS waited_seconds
FROM late p JOIN between b ON b.file_id = p.file_id AND b.tid = p.tid AND b.path = p.path AND b.waits_on = p.waits_on JOIN strace_end e ON e.trace = p.trace
WHERE b.lines <= 12 * p.tries AND coalesce(e.at_s - p.began, 60) >= 3;

-- Connections that were tried and never made, one row per process and peer. A socket in non-blocking mode learns of a refusal from SO_ERROR, of silence from a poll that runs out;
-- retries that reach the same port in the end were only early.
CREATE TABLE connect_failure_strace AS
WITH tries AS (
  SELECT file_id, line_no, trace, pid, tid, rank, host, time, at_s, peer, syscall, seconds, never_returned,
    CASE WHEN syscall = 'connect' AND errno IN ('ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED') THEN errno
         WHEN syscall = 'connect' AND never_returned THEN 'not returned'
         WHEN syscall = 'getsockopt' THEN nullif(regexp_extract(args, 'SO_ERROR, \[(E[A-Z]+)\]', 1), '')
         WHEN syscall IN ('poll', 'ppoll') THEN 'timeout' END AS error,
    syscall = 'connect' AND result = '0' OR syscall = 'getsockopt' AND contains(args, 'SO_ERROR, [0]') AS made
  FROM (   -- the descriptor a poll waited for, and its peer
    SELECT k.* EXCLUDE (peer, fd, fd_kind), k.fd_kind, coalesce(k.peer, c.peer) AS peer
    FROM (SELECT * EXCLUDE (fd), CASE WHEN syscall IN ('poll', 'ppoll') THEN TRY_CAST(regexp_extract(args, '^\[\{fd=([0-9]+)', 1) AS BIGINT) ELSE fd END AS fd FROM strace_known
          WHERE syscall IN ('connect', 'getsockopt', 'poll', 'ppoll') AND injected IS NULL) k
    ASOF LEFT JOIN (SELECT file_id, pid, fd, line_no, peer FROM fd WHERE peer IS NOT NULL) c ON c.file_id = k.file_id AND c.pid = k.pid AND c.fd = k.fd AND c.line_no < k.line_no
  ) WHERE peer IS NOT NULL AND fd_kind IS DISTINCT FROM 'datagram' AND NOT ends_with(peer, ':53')
), by_peer AS (
  SELECT trace, pid, rank, host, peer, regexp_extract(peer, ':([0-9]+)$', 1) AS port, mode(error) FILTER (error IS NOT NULL) AS error, count(error) AS attempts,
         min(time) FILTER (error IS NOT NULL) AS time, max(at_s) - min(at_s) AS lasted, max(seconds) AS longest, bool_or(never_returned) AS still_trying,
         min_by(file_id, line_no) FILTER (error IS NOT NULL) AS file_id, min(line_no) FILTER (error IS NOT NULL) AS line_no, max(line_no) FILTER (error IS NOT NULL) AS last_line
  FROM tries GROUP BY ALL HAVING count(error) > 0
)
SELECT 'strace' AS source, trim(left(peer, -1 - length(b.port)), '[]') AS peer, TRY_CAST(b.port AS BIGINT) AS port, CASE WHEN error = 'not returned' THEN 'no answer' ELSE error END AS error, attempts::BIGINT AS attempts, NULL::BIGINT AS timeout_ms,
       host, rank, nullif(pid, 0) AS pid, NULL::BIGINT AS gpu_index, time, file_id, line_no, last_line, lasted
FROM by_peer b
WHERE NOT EXISTS (FROM tries m WHERE m.made AND m.trace = b.trace AND m.pid IS NOT DISTINCT FROM b.pid AND ends_with(m.peer, ':' || b.port))
  -- one refusal at start-up is usual; giving up is said by many, by long waits, or by an unreachable network
  AND (error IN ('ETIMEDOUT', 'EHOSTUNREACH') OR attempts >= 3 OR coalesce(lasted, 0) >= 5 OR (still_trying AND EXISTS (FROM waiting_for_syscall w WHERE w.trace = b.trace AND w.peer = b.peer AND coalesce(w.waited_seconds, 60) >= 3)));

-- A process whose every thread was stopped (SIGSTOP, SIGTTIN) and never went on is not blocked in a call: the others wait for it.
CREATE TABLE strace_stopped AS
SELECT t.trace, t.pid, any_value(th.rank) AS rank, any_value(th.host) AS host, min(s.file_id) AS file_id, min(s.line_no) AS line_no, count(*) AS threads, any_value(s.signal_name) AS signal_name, any_value(s.at_s) AS at_s
FROM strace_event s JOIN strace_thread t ON t.trace = s.trace AND t.tid = s.tid JOIN strace_tail l ON l.file_id = s.file_id AND l.tid = s.tid AND l.last_line = s.line_no
JOIN strace_thread th ON th.trace = t.trace AND th.tid = t.pid
WHERE s.kind = 'stopped' AND t.pid IS NOT NULL GROUP BY t.trace, t.pid;

-- In the shape rules/views/missing_rank.sql asks for.
CREATE VIEW missing_rank_strace AS
SELECT 'strace' AS source, CASE WHEN s.rank IS NOT NULL THEN [s.rank] END AS ranks, [s.pid] AS pids, CASE WHEN s.host IS NOT NULL THEN [s.host] END AS hosts,
       'pid ' || s.pid || ' was stopped by ' || s.signal_name || ' and did not go on' || CASE WHEN s.threads > 1 THEN ' (' || s.threads || ' threads)' ELSE '' END || CASE WHEN s.signal_name IN ('SIGTTOU', 'SIGTTIN') THEN ': it runs in the background and wants the terminal' ELSE '' END AS said, 'definite' AS grade, [line_at(s.file_id, s.line_no)] AS evidence,
       'outside' AS place, 'host' AS side,
       CASE WHEN s.at_s IS NOT NULL THEN make_timestamp((epoch_us(CASE WHEN s.at_s < 100000 THEN f.day ELSE TIMESTAMP '1970-01-01' END) + s.at_s * 1000000)::BIGINT) END AS "at"
FROM strace_stopped s JOIN strace_file f ON f.file_id = s.file_id;
