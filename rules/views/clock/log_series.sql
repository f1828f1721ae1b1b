-- table: One row per log of the job that tells its time, where some of them begin after all before
-- them have ended: series_no counts up with each such log.
with
    span as (
        select file_id, min(first) as began, max(last) as ended
        from clock
        where
            file_id in (select file_id from step_stretch)
            or file_id in (select file_id from attempt_end)
        group by file_id
        having min(first) < max(last)
    ),
    ordered_span as (
        select
            file_id,
            began,
            coalesce(
                began > max(ended) over (
                    order by began, file_id rows between unbounded preceding and 1 preceding
                ),
                false
            ) as follows_all
        from span
    )
select
    file_id,
    began,
    count_if(follows_all) over (order by began, file_id rows unbounded preceding) as series_no
from ordered_span
qualify bool_or(follows_all) over ()
