-- table:
select
    writer,
    run,
    block,
    median(seconds) as seconds,
    min(k) as first_k,
    max(k) as last_k,
    count(*) as points
from pace
group by all
