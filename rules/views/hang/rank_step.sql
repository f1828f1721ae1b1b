-- table: One row per training step a rank printed, with the file it is in and the pause before it;
-- goes_back = the step is lower than the one before, as after a restart.
select
    coalesce(t.rank, f.rank) as rank,
    coalesce(t.host, f.host) as host,
    t.time,
    t.step,
    t.file_id,
    t.line_no,
    f.path,
    epoch(t.time) - epoch(lag(t.time) over in_order) as pause,
    coalesce(t.step < lag(t.step) over in_order, false) as goes_back
from training_line t
join file f using (file_id)
where t.time is not null and coalesce(t.rank, f.rank) is not null
window in_order as (partition by coalesce(t.rank, f.rank) order by t.time, t.file_id, t.line_no)
