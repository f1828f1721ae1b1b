-- table: one row: the last step that was logged, and whether training went on after the
-- last dumps (goes_on): then what they show was passing. A job that was restarted starts
-- at a lower step.
with
    step as (
        select
            file_id,
            line_no,
            time,
            step,
            time - lag(time) over (partition by file_id order by line_no) as pause
        from training_line
        where step is not null
    ),
    last_dump as (select max(time) as "at" from stack_rank where time is not null),
    last_line as (
        select file_id, max(thread_line) as line_no
        from stack_main
        where role = 'rank'
        group by file_id
    )
select
    max(step)::bigint as last_step,
    coalesce(
        count(*) filter (
            time > d."at" + interval 1 second
            and time
            <= d."at"
            + greatest(
                interval 30 second, 3 * (select median(epoch(pause)) from step) * interval 1 second
            )
        )
        > 0,
        false
    )
    or exists (
        from last_line as l
        join step as s on s.file_id = l.file_id and s.line_no > l.line_no
        where
            s.step > (
                select max(b.step)
                from step as b
                where b.file_id = l.file_id and b.line_no < l.line_no
            )
    ) as goes_on
from step, last_dump as d
