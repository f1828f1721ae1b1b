-- table: One row at most: the process whose end a launcher saw first, by its rank or its host.
select
    list(distinct rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts
from "exit"
where first_observed and coalesce(exitcode, 1) <> 0 and (rank is not null or host is not null)
having count(distinct(rank, host)) = 1
