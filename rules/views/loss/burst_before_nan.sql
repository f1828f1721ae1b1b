-- table: One row per curve that had jumped to over a thousand times its usual value within ten
-- points before it became NaN (its first stretch of nonfinite_loss): the first such point
-- (burst_step, burst_value).
with
    first_stretch as (
        from nonfinite_loss
        qualify row_number() over (partition by series_id order by passing, start_step) = 1
    ),
    before as (
        select
            n.series_id,
            n.run,
            n.start_step,
            p.file_id,
            p.line_no,
            p.step,
            p.value,
            row_number() over (
                partition by n.series_id, n.run, n.start_step order by p.ordinal desc
            ) as back
        from first_stretch n
        join
            series_point p
            on p.series_id = n.series_id
            and p.file_id = n.file_id
            and p.line_no < n.line_no
            and isfinite(p.value)
    ),
    usual as (
        select series_id, run, start_step, median(value) as value
        from before
        where back <= 60
        group by all
        having count(*) >= 4 and median(value) > 0
    )
select
    b.series_id,
    b.run,
    b.start_step,
    max_by(b.step, b.back) as burst_step,
    max_by(b.value, b.back) as burst_value,
    max_by(line_at(b.file_id, b.line_no), b.back) as evidence
from before b
join usual u using (series_id, run, start_step)
where b.back <= 10 and b.value > 1000 * u.value
group by b.series_id, b.run, b.start_step
