-- table: One row per trend of a loss that is a step at a restart: its last three points before are
-- all far below the first three after, and from there on it goes up no more. before_*: the last
-- point before it; start_*: the first after it; base, level: medians before it and to the end.
with
    beside as (
        select
            j.series_id,
            j.run,
            j.start_step,
            b.file_id,
            b.line_no,
            p.step,
            p.value,
            p.line_no as at_line,
            p.line_no > b.line_no as is_after,
            row_number() over (
                partition by j.series_id, j.run, j.start_step, b.line_no, p.line_no > b.line_no
                order by abs(p.line_no - b.line_no - 0.5)
            ) as place,
            ntile(3) over (
                partition by j.series_id, j.run, j.start_step, b.line_no, p.line_no > b.line_no
                order by p.line_no
            ) as part
        from loss_jump j
        join
            series_boundary b
            on b.series_id = j.series_id
            and b.file_id = j.file_id
            and b.line_no between j.before_line and j.last_line
        join
            series_point p
            on p.series_id = b.series_id
            and p.file_id = b.file_id
            and isfinite(p.value)
        where j.kind = 'trend' and b.step is null
    )
select
    series_id,
    run,
    start_step,
    file_id,
    line_no as boundary_line,
    max(step) filter (place = 1 and not is_after) as before_step,
    max(at_line) filter (place = 1 and not is_after) as before_line,
    max(step) filter (place = 1 and is_after) as restart_step,
    max(at_line) filter (place = 1 and is_after) as restart_line,
    median(value) filter (place <= 3 and not is_after) as base,
    median(value) filter (is_after) as level,
    max(value) filter (is_after) as peak
from beside
group by all
having
    count_if(not is_after) >= 5
    and count_if(is_after) >= 5
    and min(value) filter (place <= 3 and is_after)
    > 1.2 * max(value) filter (place <= 3 and not is_after)
    and median(value) filter (is_after and part = 3)
    < 1.15 * median(value) filter (is_after and part = 1)
    and base > 0
