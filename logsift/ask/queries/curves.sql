-- Every curve of the run: how many points, over which steps, its first, last, least and greatest
-- value.
select
    name,
    rank,
    count(*) as points,
    min(step) as first_step,
    max(step) as last_step,
    arg_min(value, step) as first_value,
    arg_max(value, step) as last_value,
    min(value) as least,
    max(value) as greatest,
    -- NaN and infinity
    count_if(not isfinite(value)) as not_numbers
from metric
where step is not null
group by name, rank
order by name, rank
