-- How long steps take, a line for each hundredth of the run: a job that slows down shows here.
select
    writer,
    run,
    least(divide(k * 100, n), 99) as percent_of_run,
    min(step) as first_step,
    median(seconds) as median_seconds,
    max(seconds) as longest_seconds
from pace
group by all
order by all
