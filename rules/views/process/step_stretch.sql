-- table: One row per stretch of a log in which steps were logged or a launcher began, and nothing
-- ended, between two lines of attempt_end: ends_before counts those above it, ending_line is the
-- last of them.
with
    line as (
        select file_id, line_no, null as step, true as ends
        from attempt_end
        union all
        select file_id, line_no, null, false
        from launcher_event
        where event = 'launched'
        union all
        select file_id, line_no, step, false
        from line_metric
        where step is not null
        union all
        select file_id, line_no, done, false
        from progress_bar
        where done is not null and not is_bar_beside(label)
    ),
    numbered_line as (
        select
            *,
            count_if(ends) over in_order as ends_before,
            max(line_no) filter (ends) over in_order as ending_line
        from line
        window in_order as (partition by file_id order by line_no, ends rows unbounded preceding)
    )
select
    file_id,
    ends_before,
    min(ending_line) as ending_line,
    min(line_no) as first_line,
    max(line_no) as last_line,
    arg_min(step, line_no) as first_step,
    max(step) as last_step,
    count(distinct step) as steps,
    count_if(step is null) as launches
from numbered_line
where not ends
group by file_id, ends_before
