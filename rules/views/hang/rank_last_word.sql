-- table: One row per rank: the last line of it that says anything of the job, be it a step, a
-- timeout or an error.
with
    spoken as (
        select rank, time, file_id, line_no
        from c10d_timeout_line
        union all
        select rank, time, file_id, line_no
        from c10d_status
        union all
        select rank, time, file_id, line_no
        from c10d_heartbeat
        union all
        select rank, time, file_id, line_no
        from exception
    ),
    word as (
        select rank, time, file_id, line_no
        from rank_step
        union all
        select coalesce(s.rank, f.rank) as rank, s.time, s.file_id, s.line_no
        from spoken s
        join file f using (file_id)
    )
select rank, max(time) as time, arg_max(line_at(file_id, line_no), time) as line
from word
where time is not null and rank is not null
group by rank
