-- table: One row per scheduler that ended a job whose log had fallen silent long before, by its
-- time limit or because somebody asked for it: what hangs is often ended so. `silent_seconds`: from
-- its last line of training to its end. Neither lines that a program keeps back (8 KiB, where it
-- does not write to a terminal) nor a clock in another time zone explain that.
select
    r.file_id,
    r.line,
    r.last_time,
    r.last_step,
    epoch(e.time) - epoch(r.last_time) as silent_seconds,
    e.scheduler
from job_event as e
join file as f using (file_id)
join log_rhythm as r using (file_id)
where
    e.event in ('time_limit', 'cancelled')
    and e.line_no - r.last_line_no between 1 and 5
    and silent_seconds > greatest(1800, 10 * r.longest)
    and silent_seconds / r.usual * f.bytes / f.lines > 2 * 8192
    and abs(silent_seconds - 1800 * round(silent_seconds / 1800)) > greatest(120, 3 * r.longest)
    and not exists (
        from training_mark as t
        where t.file_id = r.file_id and t.line_no > r.last_line_no and t.kind in ('end', 'save')
    )
    and not exists (from done_line as d where d.file_id = r.file_id and d.line_no > r.last_line_no)
    -- any other log that went on says that the job did
    and not exists (from log_rhythm as o where o.last_time > r.last_time + interval 10 minute)
qualify row_number() over (partition by e.scheduler order by r.last_time desc, r.file_id) = 1
