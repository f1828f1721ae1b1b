-- table: One row per statement that a job runs, waits or has ended, with the moment of the capture
-- where the file says it: the last line before it that is nothing but a time.
select
    j.file_id,
    j.line_no,
    coalesce(
        j.time,
        (
            select arg_max(p.time, p.line_no)
            from printed_time as p
            where p.file_id = j.file_id and p.line_no < j.line_no
        )
    ) as time,
    j.job,
    j.job_name,
    coalesce(t.job_state, j.state) as state,
    j.nodes,
    j.exit_code
from job_state as j
left join slurm_job_state t on t.short = j.state
-- the report of a job's end tells its number, its host and its limit on lines of their own
where j.state is not null
