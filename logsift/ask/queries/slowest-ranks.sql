-- Ranks by the time between their steps: one that is far above the others keeps them waiting.
select
    rank,
    host,
    count(*) as steps,
    -- seconds between two steps it printed
    median(pause) as median_seconds,
    max(pause) as longest_seconds,
    arg_max(step, pause) as longest_at_step
from rank_step
where not goes_back and pause is not null
group by rank, host
order by median_seconds desc, rank
