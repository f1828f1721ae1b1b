-- The dump that counts for each rank: pickle and JSON of one process hold the same, and a restarted job leaves older ones.
-- Dumps of a recorder that was off say nothing and are left out.
CREATE TABLE flight_rank AS
SELECT * EXCLUDE nth FROM (
  SELECT *, row_number() OVER (PARTITION BY rank ORDER BY entries > 0 DESC, format = 'pickle' DESC, complete DESC, time DESC NULLS LAST, file_id) AS nth
  FROM flight_dump WHERE rank IS NOT NULL AND recorder_on)
WHERE nth = 1;

-- What the dumps say of each group's members, read once however many dumps say the same.
CREATE TABLE flight_group_said AS
WITH told AS (
  SELECT grp, said, list_sort(from_json(said, '["BIGINT"]')) AS members
  FROM (SELECT DISTINCT g.grp, g.members AS said FROM flight_group g SEMI JOIN flight_rank USING (file_id) WHERE g.members <> '[]' AND g.grp <> '')),
seen AS (  -- gloo describes its groups wrongly: there the members are those who recorded something
  SELECT grp, any_value(grp_desc) AS grp_desc, list_sort(list(DISTINCT rank)) AS members
  FROM flight_entry e SEMI JOIN flight_rank USING (file_id)
  WHERE grp IS NOT NULL AND grp NOT IN (SELECT grp FROM told) GROUP BY grp)
SELECT *, grp || ' ' || md5(members::VARCHAR)[:8] AS grp_key FROM (SELECT * FROM told UNION ALL BY NAME SELECT * FROM seen);

-- Members of each group, by its key. A name alone does not identify a group: the members are part of the key.
CREATE TABLE flight_members AS
SELECT grp_key, any_value(members) AS members FROM flight_group_said GROUP BY grp_key;

-- The groups that each dump knows itself to be in.
CREATE TABLE flight_member AS
SELECT r.file_id, r.rank AS of_rank, g.grp, g.grp_desc, s.grp_key
FROM flight_group g JOIN flight_rank r USING (file_id) JOIN flight_group_said s ON s.grp = g.grp AND s.said = g.members
UNION ALL
SELECT r.file_id, r.rank, s.grp, s.grp_desc, s.grp_key FROM flight_group_said s JOIN flight_rank r ON list_contains(s.members, r.rank) WHERE s.said IS NULL;

-- Recorded operations of the dumps that count, with the group's key and global ranks of sender and receiver.
CREATE TABLE flight_operation AS
SELECT e.* EXCLUDE (grp_desc, src, dst), coalesce(m.grp_key, e.grp) AS grp_key, coalesce(nullif(e.grp_desc, ''), m.grp_desc) AS grp_desc,
  coalesce(g.members[e.src + 1], e.src) AS src, coalesce(g.members[e.dst + 1], e.dst) AS dst,
  lower(regexp_replace(e.op, '^_', '')) AS kind,
  e.backend IS NOT DISTINCT FROM 'gloo' AS is_gloo,
  -- gloo leaves the state as it was when the work began; only `retired` tells, and only that it ended somehow.
  CASE WHEN e.backend = 'gloo' THEN NOT coalesce(e.retired, true) ELSE coalesce(e.state, '') <> 'completed' END AS pending
FROM flight_entry e JOIN flight_rank r USING (file_id)
LEFT JOIN flight_member m ON m.file_id = e.file_id AND m.grp = e.grp
LEFT JOIN flight_members g ON g.grp_key = m.grp_key AND e.is_p2p;

-- Per rank and group: how far it has come. The counters of a group that also sends point to point mix both kinds of
-- sequence numbers, so there only the entries count.
CREATE TABLE flight_progress AS
WITH entry AS (
  SELECT rank, grp_key, any_value(grp) AS grp, any_value(grp_desc) AS grp_desc,
    max(collective_seq) FILTER (NOT is_p2p) AS max_seq,
    min(collective_seq) FILTER (NOT is_p2p AND pending) AS first_pending,
    min(record_id) FILTER (pending) AS first_record,
    min(record_id) FILTER (pending AND NOT is_p2p) AS first_collective_record,
    count(*) FILTER (pending AND is_p2p) AS pending_p2p,
    count(*) FILTER (pending AND NOT is_p2p) AS pending_collectives,
    bool_or(is_gloo) AS gloo, bool_or(is_p2p) AS any_p2p,
    arg_min(kind, record_id) FILTER (pending AND NOT is_p2p) AS op,
    arg_max(place, record_id) AS last_place, arg_max(kind, record_id) AS last_op,
    any_value(file_id) AS file_id, coalesce(arg_min(line_no, record_id) FILTER (pending AND NOT is_p2p), arg_max(line_no, record_id)) AS line_no,
    coalesce(arg_min(time, record_id) FILTER (pending AND NOT is_p2p), arg_max(time, record_id)) AS time,
    max(timeout_ms) AS timeout_ms
  FROM flight_operation GROUP BY rank, grp_key),
status AS (
  SELECT r.rank, m.grp_key, any_value(s.grp) AS grp, any_value(m.grp_desc) AS grp_desc, max(s.last_enqueued) AS last_enqueued, max(s.last_completed) AS last_completed,
    any_value(s.file_id) AS file_id, any_value(s.line_no) AS line_no
  FROM flight_status s JOIN flight_rank r USING (file_id) JOIN flight_member m ON m.file_id = s.file_id AND m.grp = s.grp
  GROUP BY r.rank, m.grp_key),
of_group AS (
  SELECT grp_key, bool_or(any_p2p) AS any_p2p, bool_or(gloo) AS gloo, sum(pending_collectives) AS pending_collectives, sum(pending_p2p) AS pending_p2p
  FROM entry GROUP BY grp_key),
merged AS (
  SELECT coalesce(e.rank, s.rank) AS rank, coalesce(e.grp_key, s.grp_key) AS grp_key, coalesce(e.grp, s.grp) AS grp, coalesce(e.grp_desc, s.grp_desc) AS grp_desc,
    e.* EXCLUDE (rank, grp_key, grp, grp_desc, file_id, line_no), s.last_enqueued, s.last_completed, s.line_no AS status_line,
    coalesce(e.file_id, s.file_id) AS file_id, coalesce(e.line_no, s.line_no) AS line_no
  FROM entry e FULL JOIN status s ON s.rank = e.rank AND s.grp_key = e.grp_key)
SELECT b.rank, r.host, b.grp_key, b.grp, b.grp_desc, coalesce(g.gloo, false) AS gloo,
  coalesce(g.any_p2p, false) OR (g.grp_key IS NULL AND regexp_matches(lower(b.grp_desc), 'pipeline|(^|_)pp(_|$)')) AS point_to_point,
  CASE WHEN g.any_p2p THEN b.max_seq ELSE greatest(b.last_enqueued, b.max_seq) END AS enqueued,
  CASE WHEN g.gloo THEN NULL WHEN g.any_p2p OR b.last_completed IS NULL THEN coalesce(b.first_pending - 1, b.max_seq) ELSE b.last_completed END AS completed,
  b.first_pending, b.first_record, b.first_collective_record, coalesce(b.pending_p2p, 0) AS pending_p2p, coalesce(b.pending_collectives, 0) AS pending_collectives, b.op, b.last_op, b.last_place,
  b.timeout_ms, b.time, b.file_id, b.line_no
FROM merged b JOIN flight_rank r ON r.rank = b.rank LEFT JOIN of_group g ON g.grp_key = b.grp_key;

-- One row per group and sequence number of its collectives, with what each rank says of it.
CREATE VIEW collective AS
SELECT * EXCLUDE members, list_filter(members, lambda m: NOT list_contains(ranks, m)) AS absent_ranks
FROM (
  SELECT any_value(grp) AS grp, any_value(grp_desc) AS grp_desc, grp_key, collective_seq AS seq, list_sort(list(DISTINCT kind)) AS ops,
    list_sort(list(DISTINCT rank)) AS ranks, list_sort(list(DISTINCT rank) FILTER (pending)) AS pending_ranks,
    map_from_entries(list({'rank': rank, 'state': state} ORDER BY rank)) AS states,
    min(time) AS time, arg_min(file_id, record_id) AS file_id, arg_min(line_no, record_id) AS line_no
  FROM (SELECT * FROM flight_operation QUALIFY row_number() OVER (PARTITION BY rank, grp_key, collective_seq, is_p2p ORDER BY record_id DESC) = 1)
  WHERE NOT is_p2p AND collective_seq IS NOT NULL
  GROUP BY grp_key, collective_seq)
LEFT JOIN flight_members USING (grp_key);
