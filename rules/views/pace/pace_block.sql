-- table: One row per block of a writer's steps (pace), with the usual time of a step in it.
select
    writer,
    run,
    block,
    median(seconds) as seconds,
    min(k) as first_k,
    max(k) as last_k,
    count(*) as points,
    any_value(n) as n,
    any_value(apart) as apart
from pace
group by all
