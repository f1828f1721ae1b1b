-- table: One row per writer, a rank or a log without one (rank is NULL there): its last sign of
-- life, the last line that says anything of the job, be it a step, a timeout or an error. `step`:
-- the last it printed; `time` is NULL where none of its lines has one.
with
    spoken as (
        select rank, host, time, file_id, line_no
        from c10d_timeout_line
        union all
        select rank, host, time, file_id, line_no
        from c10d_status
        union all
        select rank, host, time, file_id, line_no
        from c10d_heartbeat
        union all
        select rank, host, time, file_id, line_no
        from exception
    ),
    word as (
        select rank, host, time, file_id, line_no, step
        from training_line
        union all by name
        from spoken
    )
select
    coalesce(w.rank, f.rank) as rank,
    any_value(coalesce(w.host, f.host)) as host,
    arg_max(w.step, (w.file_id, w.line_no)) filter (w.step is not null) as step,
    max(w.time) as time,
    coalesce(
        arg_max(line_at(w.file_id, w.line_no), (w.time, w.file_id, w.line_no)) filter (
            w.time is not null
        ),
        arg_max(line_at(w.file_id, w.line_no), (w.file_id, w.line_no))
    ) as line
from word w
join file f using (file_id)
group by coalesce(w.rank, f.rank), case when coalesce(w.rank, f.rank) is null then w.file_id end
