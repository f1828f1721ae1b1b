-- table: One row per log of training that stopped although the scheduler says later that the job
-- runs on: the only log, or all of them. `silent_seconds` from its last line to that statement. The
-- statement must be of this job: the only one that runs, or named by the path of the log.
with
    running as (select * from job_seen where state = 'RUNNING' and time is not null),
    seen as (
        select
            r.*,
            s.job,
            s.job_name,
            s.nodes,
            s.time as seen_time,
            line_at(s.file_id, s.line_no) as seen_line,
            epoch(s.time) - epoch(r.last_time) as silent_seconds
        from log_rhythm as r
        join
            running as s on contains(r.path, s.job) or (select count(distinct job) from running) = 1
        qualify row_number() over (partition by r.file_id order by s.time desc) = 1
    )
select *
from seen
where
    silent_seconds > greatest(900, 10 * longest)
    -- any other log that went on says that the job did
    and not exists (from seen as o where o.last_time > seen.last_time + interval 10 minute)
    and not exists (from "exit")
    and not exists (from fatal_exception)
    and not exists (from training_event as e where e.file_id = seen.file_id and e.kind = 'end')
