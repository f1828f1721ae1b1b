-- table: One row per collective that a watchdog reports as timed out: time = when the rank started
-- to wait in it.
select
    concat_ws(' ', 'start of', coalesce(t.grp_desc, t.grp, 'work'), t.collective_seq) as event,
    t.file_id,
    t.line_no,
    t.host,
    t.rank,
    coalesce(t.grp_desc, t.grp) as grp,
    t.collective_seq,
    t.time - to_milliseconds(coalesce(t.ran_ms, t.timeout_ms)) as time,
    c.time_quality
from c10d_timeout_once t
join c10d_timeout c using (file_id, line_no)
where t.collective_seq is not null and t.timeout_ms is not null
