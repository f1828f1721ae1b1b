-- PCI address as dddd:bb:dd: nvidia-smi prints eight digits of domain, capitals and a function; drivers four and none.
CREATE MACRO pci_address(printed) AS (
  CASE WHEN length(regexp_replace(lower(printed), '^pci:|\.[0-9a-f]$', '', 'g')) = 5 THEN '0000:' || regexp_replace(lower(printed), '^pci:|\.[0-9a-f]$', '', 'g')
       ELSE right(split_part(regexp_replace(lower(printed), '^pci:|\.[0-9a-f]$', '', 'g'), ':', 1), 4)
            || substr(regexp_replace(lower(printed), '^pci:|\.[0-9a-f]$', '', 'g'), strpos(regexp_replace(lower(printed), '^pci:|\.[0-9a-f]$', '', 'g'), ':')) END);

-- Which machine a line is from: its host, else the only host that kernel lines name, else the folder the file lies in.
CREATE TABLE kernel_file AS
WITH hosts AS (SELECT DISTINCT host FROM (SELECT host FROM xid_line UNION ALL SELECT host FROM nvrm_event UNION ALL SELECT host FROM sxid_line) WHERE host IS NOT NULL)
SELECT f.file_id, coalesce((SELECT CASE WHEN count(*) = 1 THEN max(host) END FROM hosts), 'in ' || regexp_extract(f.path, '^(.*?)[^/]*$', 1)) AS otherwise
FROM file f;

-- Xid 144 to 150 print `UNIT Fatal|Nonfatal XC0|XC1 i0|i1 Link n (intr_info error_status ...)`, or a text of an older driver.
CREATE MACRO nvlink5_said(message) AS regexp_extract(message,
  '^([A-Z0-9_]+(?:/[A-Z0-9_]+)?) +(Fatal|FATAL|Nonfatal|NonFatal|Non-[Ff]atal) +(XC[0-9])? *(i[0-9])? *Link +(-?[0-9]+) *[(](0x[0-9a-fA-F]+) +(0x[0-9a-fA-F]+)',
  ['unit', 'word', 'contained', 'injected', 'link', 'intr_info', 'error_status']);
CREATE MACRO nvlink5_reason(intr_info) AS (try_cast(intr_info AS BIGINT) >> 20) & 63;

-- What the catalogue's decode tables say of each sub-code that was seen: the row of the unit with the same status (of the same
-- reason, where a link went down); status words are bit sets except those of 149; the printed severity tells rows apart.
CREATE TABLE nvlink5_code AS
WITH seen AS (
  SELECT DISTINCT code, said.unit AS unit, said.word ILIKE 'fatal' AS fatal, CASE WHEN said.unit LIKE 'NETIR_LINK%' THEN nvlink5_reason(said.intr_info) END AS reason, said.error_status AS error_status
  FROM (SELECT code, nvlink5_said(message) AS said FROM xid_line WHERE code BETWEEN 144 AND 150) WHERE said.unit <> ''
)
SELECT n.*, CASE WHEN n.fatal = (s.severity <> 'non-fatal') THEN s.action END AS action, CASE WHEN n.fatal = (s.severity <> 'non-fatal') THEN s.investigatory END AS investigatory   -- the line knows best
FROM seen n JOIN xid_nvlink5 s ON s.xid = n.code AND (s.unit = n.unit OR list_contains(string_split(s.unit, '/'), string_split(n.unit, '/')[-1]))
     AND CASE WHEN n.reason IS NOT NULL THEN s.linkdown_reason_bits25_20 = n.reason
              WHEN n.code < 149 THEN (try_cast(s.error_status AS BIGINT) & try_cast(n.error_status AS BIGINT)) <> 0 ELSE try_cast(s.error_status AS BIGINT) = try_cast(n.error_status AS BIGINT) END
QUALIFY row_number() OVER (PARTITION BY n.code, n.unit, n.fatal, n.reason, n.error_status
                           ORDER BY try_cast(s.error_status AS BIGINT) = try_cast(n.error_status AS BIGINT) DESC, (s.severity <> 'non-fatal') = n.fatal DESC, s.severity, s.unit) = 1;
COMMENT ON TABLE nvlink5_code IS 'the sub-codes of Xid 144 to 150 that were seen, with what NVIDIA''s decode tables say of them';

CREATE VIEW xid AS
WITH lines AS (SELECT *, CASE WHEN code BETWEEN 144 AND 150 THEN nvlink5_said(message) END AS said FROM xid_line)
SELECT x.file_id, x.line_no, x.time, x.time_quality, x.uptime_seconds, x.host, x.stream, x.code, pci_address(x.gpu) AS gpu, x.gpu_uuid,
       x.gpu_instance, x.compute_instance, nullif(x.pid, 0) AS pid, x.process, x.message,
       c.mnemonic, c.short_meaning AS meaning, c.class, coalesce(n.action, c.immediate_action) AS action, coalesce(n.investigatory, c.investigatory_action) AS investigatory_action, c.training_run_fatal,
       c.can_be_caused_by_app = 'yes' AS by_application, nullif(said.unit, '') AS unit, CASE WHEN said.word ILIKE 'fatal' THEN 'fatal' WHEN said.word <> '' THEN 'non-fatal' END AS severity,
       try_cast(said.link AS BIGINT) AS link, nvlink5_reason(said.intr_info) AS link_down_reason, nullif(said.error_status, '') AS error_status
FROM lines x LEFT JOIN xid_catalog c USING (code)
LEFT JOIN nvlink5_code n ON n.code = x.code AND n.unit = said.unit AND n.fatal = (said.word ILIKE 'fatal') AND n.error_status = said.error_status
     AND n.reason IS NOT DISTINCT FROM CASE WHEN said.unit LIKE 'NETIR_LINK%' THEN nvlink5_reason(said.intr_info) END;
COMMENT ON VIEW xid IS 'one row per Xid line with what NVIDIA''s catalogue says of its code, and of its sub-code where it has one; gpu is dddd:bb:dd';

-- Where in a file another boot of a machine begins: the kernel's first line, the journal's mark, or an uptime that falls.
-- The parts of a crash dump (pstore) are one boot, in whatever order they stand.
CREATE TABLE boot_mark AS
WITH clocks AS (
  SELECT file_id, host, line_no, time, uptime_seconds FROM xid_line WHERE uptime_seconds IS NOT NULL
  UNION ALL SELECT file_id, host, line_no, time, uptime_seconds FROM nvrm_event WHERE uptime_seconds IS NOT NULL
  UNION ALL SELECT file_id, host, line_no, time, uptime_seconds FROM sxid_line WHERE uptime_seconds IS NOT NULL
  UNION ALL SELECT file_id, host, line_no, time, uptime_seconds FROM kernel_event WHERE uptime_seconds IS NOT NULL
)
SELECT file_id, host, line_no, time FROM kernel_boot WHERE kind <> 'pstore'
UNION
SELECT file_id, host, line_no, time FROM (SELECT *, uptime_seconds < lag(uptime_seconds) OVER (PARTITION BY file_id, host ORDER BY line_no) - 10 AS fell FROM clocks)
WHERE fell AND file_id NOT IN (SELECT file_id FROM kernel_boot WHERE kind = 'pstore');
COMMENT ON TABLE boot_mark IS 'a line with which another boot of a machine begins';

-- Boots that logs hold the beginning of. What stands in the same log before `line_no` is of an older boot; `time` is the first that
-- is printed in the new one.
CREATE VIEW boot AS
SELECT b.file_id, b.line_no, short_host(b.host) AS host, coalesce(b.time, min(k.time)) AS time
FROM boot_mark b LEFT JOIN (SELECT file_id, host, line_no, time FROM kernel_event UNION ALL SELECT file_id, host, line_no, time FROM xid_line UNION ALL SELECT file_id, host, line_no, time FROM clock_line) k
  ON k.file_id = b.file_id AND k.line_no > b.line_no AND (k.host = b.host OR b.host IS NULL)
GROUP BY b.file_id, b.line_no, b.host, b.time;

CREATE VIEW boot_start AS
SELECT file_id, list({'host': host, 'line_no': line_no} ORDER BY line_no) AS starts FROM boot_mark GROUP BY file_id;
COMMENT ON VIEW boot_start IS 'where in a file another boot of a machine begins';

-- One event = the text and the severity line of one switch, code and link within a second.
CREATE TABLE sxid AS
WITH said AS (
  SELECT *, coalesce(link, engine) AS link_, coalesce(epoch(time), uptime_seconds) AS t FROM sxid_line
  WHERE message IS NOT NULL OR link IS NOT NULL OR severity_word IS NOT NULL OR severity_level IS NOT NULL
), fresh AS (
  SELECT *, coalesce(t - lag(t) OVER w > 1, line_no - lag(line_no) OVER w > 50, true) AS is_new FROM said
  WINDOW w AS (PARTITION BY file_id, pci, code, link_ ORDER BY line_no)
), numbered AS (
  SELECT *, count_if(is_new) OVER (PARTITION BY file_id, pci, code, link_ ORDER BY line_no) AS event FROM fresh
), events AS (
  SELECT file_id, min(line_no) AS line_no, min(time) AS time, min(uptime_seconds) AS uptime_seconds, any_value(host) AS host, code, any_value(nvswitch) AS nvswitch,
         pci_address(pci) AS gpu, link_ AS link, any_value(severity_word) AS severity_word, any_value(severity_level) AS severity_level,
         first(message ORDER BY line_no) FILTER (message IS NOT NULL) AS message, count(*) AS lines
  FROM numbered GROUP BY file_id, pci, code, link_, event
)
SELECT e.*, c.mnemonic, c.short_meaning AS meaning, c.class, c.immediate_action AS action, c.investigatory_action, c.training_run_fatal,
       coalesce(lower(e.severity_word) = 'fatal', e.severity_level = 1, c.severity_printed = 'fatal', e.code = 10003, false) AS fatal
FROM events e LEFT JOIN sxid_catalog c USING (code);
COMMENT ON TABLE sxid IS 'one row per SXid event (its lines joined) with what is known of its code; fatal as printed, else as the code is';

-- What the driver says of GPUs and switches, per minute, GPU and code one row: a storm of a million lines is small from here on.
-- Bad news only: a recovery action that changes to "none" is none.
CREATE TABLE gpu_minute AS
WITH said AS (
  SELECT 'xid' AS kind, 1 AS lines, file_id, line_no, time, uptime_seconds, host, gpu, gpu_uuid, gpu_instance, compute_instance, code, pid, process, message,
         CASE WHEN code BETWEEN 144 AND 150 THEN NOT regexp_matches(coalesce(message, ''), '[Nn]on-?[Ff]atal') END AS fatal,
         CASE WHEN code BETWEEN 144 AND 150 THEN nvlink5_said(message) END AS said,
         CASE WHEN code = 154 THEN coalesce(try_cast('0x' || regexp_extract(message, 'to 0x([0-9a-fA-F]+)', 1) AS BIGINT), 0) END AS recovery,
         CASE WHEN code = 45 THEN try_cast(regexp_extract(message, 'caused by previous Xid ([0-9]+)', 1) AS BIGINT) END AS previous
  FROM xid_line
  UNION ALL BY NAME
  SELECT kind, 1 AS lines, file_id, line_no, time, uptime_seconds, host, gpu, CASE kind WHEN 'lost' THEN 79 END AS code, message FROM nvrm_event WHERE kind IN ('lost', 'init_failed', 'no_handle') AND gpu IS NOT NULL
  UNION ALL BY NAME
  SELECT 'sxid' AS kind, lines, file_id, line_no, time, uptime_seconds, host, gpu, code, fatal, message FROM sxid
), placed AS (
  SELECT s.*, CASE WHEN b.starts IS NULL THEN 0 ELSE len(list_filter(b.starts, lambda x: x.line_no <= s.line_no AND coalesce(x.host, s.host, '') = coalesce(s.host, x.host, ''))) END AS boot
  FROM said s LEFT JOIN boot_start b ON b.file_id = s.file_id
), minutes AS (
  SELECT kind, file_id, host, boot, coalesce(gpu, gpu_uuid) AS printed, code, fatal, recovery, previous, said.unit AS unit, said.error_status AS error_status,
         CASE WHEN said.unit LIKE 'NETIR_LINK%' THEN nvlink5_reason(said.intr_info) END AS reason, CASE WHEN time IS NOT NULL THEN 'wall' WHEN uptime_seconds IS NOT NULL THEN 'boot' ELSE 'none' END AS clock,
         floor(coalesce(epoch(time), uptime_seconds) / 60) AS minute, sum(lines) AS lines, min(coalesce(epoch(time), uptime_seconds)) AS t, max(coalesce(epoch(time), uptime_seconds)) AS last_t,
         min(time) AS time, max(time) AS last_time, min(uptime_seconds) AS uptime_seconds, min(line_no, 5) AS first_lines, any_value(gpu_uuid) AS gpu_uuid,
         arg_min(gpu_instance, line_no) AS gpu_instance, arg_min(compute_instance, line_no) AS compute_instance,
         arg_min(message, line_no) AS message, arg_min(said.link, line_no) AS link, arg_min(pid, line_no) FILTER (pid > 0) AS pid, arg_min(process, line_no) FILTER (pid > 0) AS process
  FROM placed WHERE NOT (code IS NOT DISTINCT FROM 154 AND kind = 'xid' AND recovery = 0)
  GROUP BY ALL
)
SELECT m.* EXCLUDE (printed), CASE WHEN m.printed LIKE 'GPU-%' THEN m.printed ELSE pci_address(m.printed) END AS gpu, coalesce(m.host, f.otherwise) AS machine, m.first_lines[1] AS line_no,
       CASE WHEN m.kind IN ('init_failed', 'no_handle') THEN 'hardware'
            WHEN m.kind = 'sxid' THEN CASE WHEN m.code IN (10004, 10005, 10006) THEN 'info' WHEN m.fatal OR m.code = 12028 THEN 'hardware' ELSE 'info' END
            WHEN g.verdict IS NOT NULL THEN g.verdict
            WHEN c.class = 'hardware' AND c.training_run_fatal = 'yes' THEN 'hardware'
            WHEN c.immediate_action = 'restart_app' AND c.training_run_fatal = 'yes' THEN 'application'
            ELSE 'info' END AS verdict,
       CASE WHEN m.kind = 'init_failed' THEN 66 WHEN m.kind = 'no_handle' THEN 67
            WHEN m.kind = 'sxid' THEN CASE WHEN m.code IN (10004, 10005, 10006) THEN 130 WHEN m.fatal AND m.code = 19084 THEN 52 WHEN m.fatal THEN 51 WHEN m.code = 12028 THEN 58 ELSE 130 END
            WHEN g.root_order IS NOT NULL THEN g.root_order
            WHEN c.class = 'hardware' AND c.training_run_fatal = 'yes' THEN 62
            WHEN c.immediate_action = 'restart_app' AND c.training_run_fatal = 'yes' THEN 75 ELSE 130 END AS root_order,
       CASE WHEN m.kind = 'sxid' THEN CASE m.code WHEN 20034 THEN 'reset GPU; check NVLink' WHEN 12028 THEN 'restart the job; look at the GPU behind the port' ELSE 'reset GPUs and NVSwitches' END
            WHEN m.kind = 'init_failed' THEN 'reboot; check the driver version' WHEN m.kind = 'no_handle' THEN 'reboot, then diagnose' ELSE g.advice END AS advice,
       CASE WHEN m.kind = 'sxid' THEN 'nvlink' ELSE c.class END AS class,
       n.action AS decoded_action, n.investigatory AS decoded_investigatory
FROM minutes m JOIN kernel_file f USING (file_id) LEFT JOIN xid_triage g ON g.code = m.code AND m.kind IN ('xid', 'lost') LEFT JOIN xid_catalog c ON c.code = m.code AND m.kind IN ('xid', 'lost')
LEFT JOIN nvlink5_code n ON n.code = m.code AND m.kind = 'xid' AND n.unit = m.unit AND n.fatal = m.fatal AND n.error_status = m.error_status AND n.reason IS NOT DISTINCT FROM m.reason;

-- Events of one machine and boot less than three minutes apart are one burst; per burst, GPU and code one row.
CREATE TABLE gpu_burst_part AS
WITH marked AS (
  SELECT *, coalesce(t - max(last_t) OVER (PARTITION BY machine, clock, era ORDER BY t, file_id, line_no ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > 180, true) AS is_new
  FROM (SELECT *, CASE WHEN boot > 0 THEN file_id || ':' || boot ELSE '' END AS era FROM gpu_minute)   -- boots are counted within a file
), numbered AS (
  SELECT *, CASE WHEN clock = 'none' THEN 0 ELSE count_if(is_new) OVER (PARTITION BY machine, clock, era ORDER BY t, file_id, line_no) END AS burst FROM marked
), parts AS (
  SELECT machine, clock, era, burst, kind, gpu, code, fatal, recovery, previous, verdict, root_order, advice, class, unit, reason, error_status, decoded_action, decoded_investigatory, any_value(host) AS host, sum(lines)::BIGINT AS lines,
         min(t) AS t, max(last_t) AS last_t, min(time) AS time, max(last_time) AS last_time, min(uptime_seconds) AS uptime_seconds, any_value(gpu_uuid) AS gpu_uuid,
         arg_min(gpu_instance, (coalesce(t, 0), line_no)) AS gpu_instance, arg_min(compute_instance, (coalesce(t, 0), line_no)) AS compute_instance,
         arg_min(file_id, (coalesce(t, 0), line_no)) AS file_id, arg_min(line_no, (coalesce(t, 0), line_no)) AS line_no,
         arg_min(pid, (coalesce(t, 0), line_no)) FILTER (pid IS NOT NULL) AS pid, arg_min(process, (coalesce(t, 0), line_no)) FILTER (pid IS NOT NULL) AS process,
         arg_min(message, (coalesce(t, 0), line_no)) AS message, arg_min(link, (coalesce(t, 0), line_no)) AS link,
         arg_min(list_transform(first_lines, lambda n: line_at(file_id, n)), (coalesce(t, 0), line_no)) AS evidence
  FROM numbered GROUP BY ALL
)
SELECT * FROM parts;

-- The root of each burst: the least in the order of causes, the earliest of equals; what a 45 names as its cause wins on its GPU.
CREATE TABLE gpu_burst AS
WITH seen AS (
  SELECT *, bool_or(code = 154 OR (code IN (45, 74) AND kind = 'xid')) OVER b AS job_hurt,
         list(DISTINCT previous) FILTER (previous NOT IN (0, 45)) OVER (PARTITION BY machine, clock, era, burst, gpu) AS named,
         min(coalesce(t, line_no)) FILTER (code = 154 AND kind = 'xid') OVER (PARTITION BY machine, clock, era, burst, gpu) AS asked_at
  FROM gpu_burst_part WINDOW b AS (PARTITION BY machine, clock, era, burst)
), judged AS (
  SELECT * REPLACE (
           CASE WHEN minor_link AND NOT job_hurt THEN 'info' WHEN heir THEN coalesce(p_verdict, 'info') WHEN prompts THEN 'hardware' ELSE verdict END AS verdict,
           CASE WHEN minor_link THEN CASE WHEN job_hurt THEN 53 ELSE 130 END
                WHEN prompts THEN 109
                WHEN heir THEN coalesce(p_order, 99)
                WHEN len(named) = 1 AND kind = 'xid' AND list_contains(named, code) THEN root_order - 0.5
                ELSE root_order END AS root_order,
           CASE WHEN heir THEN p_advice WHEN prompts THEN 'follow the recovery action' ELSE advice END AS advice),
         CASE WHEN heir THEN previous ELSE code END AS cause_code,
         -- of NVLink's codes a fatal one comes before those that are not, whichever the driver holds responsible
         kind = 'xid' AND len(named) = 1 AND coalesce(list_contains(named, code), false)
           AND NOT (minor_link AND bool_or(kind = 'xid' AND code BETWEEN 144 AND 150 AND NOT minor_link) OVER (PARTITION BY machine, clock, era, burst, gpu)) AS is_named
  FROM (SELECT *, coalesce(code = 45 AND kind = 'xid' AND previous NOT IN (0, 45), false) AS heir,
               -- said to be no fatal one, or one that the catalogue tells to ignore although it is
               coalesce(kind = 'xid' AND code BETWEEN 144 AND 150 AND (NOT fatal OR decoded_action = 'ignore'), false) AS minor_link,
               -- of little account by itself, but the driver asked for a recovery of the same GPU then: what asks is never the cause
               coalesce(kind = 'xid' AND verdict = 'info' AND code NOT BETWEEN 144 AND 150 AND code <> 154 AND coalesce(t, line_no) <= asked_at, false) AS prompts FROM seen)
  LEFT JOIN (SELECT code AS p_code, verdict AS p_verdict, root_order AS p_order, advice AS p_advice FROM xid_triage) ON p_code = previous
), roots AS (
  SELECT machine, clock, era, burst, arg_min(p, (CASE WHEN named_here THEN 0 ELSE 1 END, p.root_order, coalesce(p.t, p.line_no), p.file_id, p.line_no)) AS root
  FROM (SELECT j AS p, j.machine, j.clock, j.era, j.burst, j.is_named AND list_contains(j.top_gpus, j.gpu) AS named_here
        FROM (SELECT *, list(DISTINCT gpu) FILTER (root_order = least_order) OVER (PARTITION BY machine, clock, era, burst) AS top_gpus
              FROM (SELECT *, min(root_order) OVER (PARTITION BY machine, clock, era, burst) AS least_order FROM judged)) j)
  GROUP BY ALL
)
SELECT * EXCLUDE (root_evidence, parts), flatten([root_evidence, flatten(parts)[1:20]]) AS evidence
FROM (SELECT r.machine, r.clock, r.era, r.burst, r.root.verdict AS verdict, r.root.kind AS root_kind, r.root.cause_code AS root_code, r.root.gpu AS gpu, r.root.class AS class,
       r.root.fatal AS fatal, r.root.advice AS advice, r.root.message AS message, r.root.gpu_instance AS gpu_instance, r.root.compute_instance AS compute_instance, r.root.unit AS unit, r.root.reason AS link_down_reason, r.root.error_status AS error_status, r.root.link AS link, r.root.decoded_action AS decoded_action, r.root.decoded_investigatory AS decoded_investigatory, r.root.pid AS pid, r.root.process AS process, r.root.root_order AS root_order,
       any_value(p.host) AS host, min(p.t) AS t, max(p.last_t) AS last_t, r.root.time AS time, max(p.last_time) AS last_time, r.root.uptime_seconds AS uptime_seconds,
       r.root.file_id AS file_id, r.root.line_no AS line_no, sum(p.lines)::BIGINT AS lines,
       list_sort(list(DISTINCT p.code) FILTER (p.kind IN ('xid', 'lost') AND p.code IS NOT NULL)) AS xids,
       list_sort(list(DISTINCT p.code) FILTER (p.kind = 'sxid')) AS sxids,
       list_sort(list(DISTINCT p.gpu) FILTER (p.kind <> 'sxid' AND (p.gpu = r.root.gpu OR p.code = r.root.cause_code OR (p.code = 154 AND r.root.class = 'nvlink') OR (r.root.cause_code BETWEEN 144 AND 150 AND p.previous BETWEEN 144 AND 150)))) AS gpus,
       arg_max(p.recovery, (coalesce(p.last_t, 0), p.line_no)) FILTER (p.recovery IS NOT NULL) AS recovery_action,
       first(p.pid ORDER BY p.root_order, p.line_no) FILTER (p.pid IS NOT NULL AND p.gpu = r.root.gpu AND p.code NOT IN (119, 120)) AS any_pid,
       first(p.process ORDER BY p.root_order, p.line_no) FILTER (p.pid IS NOT NULL AND p.gpu = r.root.gpu AND p.code NOT IN (119, 120)) AS any_process,
       bool_or(p.code IN (48, 63, 64, 94, 95, 140, 171, 172)) AS memory,
       r.root.evidence AS root_evidence, list(p.evidence ORDER BY p.root_order, p.line_no) AS parts
      FROM roots r JOIN gpu_burst_part p USING (machine, clock, era, burst)
      GROUP BY ALL);
COMMENT ON TABLE gpu_burst IS 'Xid and SXid events of one machine less than three minutes apart, with the one that caused the others (verdict: hardware | application | killed | service | info)';

-- UUID and board serial of a GPU, as the driver prints them before its first Xid; a serial without an address belongs to the line before.
CREATE TABLE gpu_name AS
WITH uuids AS (
  SELECT i.file_id, i.line_no, i.host, f.otherwise, pci_address(i.gpu) AS gpu, i.gpu_uuid FROM identity i JOIN kernel_file f USING (file_id) WHERE i.gpu IS NOT NULL AND i.gpu_uuid IS NOT NULL
)
SELECT coalesce(u.host, u.otherwise) AS machine, u.gpu, any_value(u.gpu_uuid) AS gpu_uuid, any_value(s.serial) AS serial, min(u.file_id) AS file_id, min(u.line_no) AS line_no
FROM uuids u LEFT JOIN nvrm_event s ON s.file_id = u.file_id AND s.kind = 'serial' AND s.gpu IS NULL AND s.line_no BETWEEN u.line_no + 1 AND u.line_no + 2
     AND NOT EXISTS (SELECT 1 FROM uuids o WHERE o.file_id = u.file_id AND o.gpu <> u.gpu AND o.line_no BETWEEN u.line_no - 1 AND s.line_no AND o.line_no <> u.line_no)
GROUP BY ALL
UNION ALL
SELECT coalesce(s.host, f.otherwise), pci_address(s.gpu), NULL, any_value(s.serial), min(s.file_id), min(s.line_no)
FROM nvrm_event s JOIN kernel_file f USING (file_id) WHERE s.kind = 'serial' AND s.gpu IS NOT NULL GROUP BY ALL;
