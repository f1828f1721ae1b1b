-- table: One row per curve and file: how many steps usually lie between two of its points.
with
    distance as (
        select
            series_id,
            file_id,
            step - lag(step) over (partition by series_id, file_id order by line_no, step) as steps
        from series_point
    )
select series_id, file_id, median(steps) as usual_distance
from distance
where steps > 0
group by series_id, file_id
