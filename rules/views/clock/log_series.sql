-- table: One row per log of the job that tells its time; series_no counts up where one begins after
-- all before it have ended.
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
