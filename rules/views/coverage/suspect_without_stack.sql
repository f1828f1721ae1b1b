-- view: the one row of the suspected ranks whose own stack nobody took, where there are any and few
-- enough to be looked at one by one.
select
    list(rank order by rank) as ranks,
    list(distinct host order by host) filter (host is not null) as hosts
from suspect_rank
where not looked_into
having count(*) between 1 and 8
