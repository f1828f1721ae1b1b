-- table: One row per line in which a launcher or a scheduler says that a process of the job failed,
-- and not which, with no training behind it. rank = the one task that srun does not tell of, where
-- it tells of all others of the step that they were ended.
with
    told as (
        select file_id, line_no, time, host, 'launcher' as teller
        from launcher_event
        where event = 'task_failed'
        union all by name
        select file_id, line_no, time, host, 'scheduler' as teller
        from job_event
        where event = 'task_failed'
    ),
    ended_task as (
        select t.file_id, list(distinct t.task) as tasks
        from exit_task t
        join "exit" x using (file_id, line_no)
        where t.source = 'srun' and x.signal_name in ('Terminated', 'Killed')
        group by t.file_id
        having
            count(distinct t.task) > 1
            and max(t.task) - min(t.task) - count(distinct t.task) = 0
            -- every other line of srun tells of tasks that failed
            and not bool_or(coalesce(x.exitcode, 0) <> 0)
    )
select
    t.*,
    case
        when t.teller = 'scheduler'
        then
            list_filter(
                range(list_min(e.tasks), list_max(e.tasks)),
                lambda task: not list_contains(e.tasks, task)
            )[1]
    end as rank
from told t
left join ended_task e using (file_id)
where
    (select count(*) from training_line l where l.file_id = t.file_id and l.line_no > t.line_no) < 3
    and not ends_well_after(t.file_id, t.line_no)
