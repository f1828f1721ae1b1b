-- table: One row at most: the process whose end a launcher saw first, by its rank or its host.
select
    list(distinct rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts
from "exit"
where first_observed and coalesce(exitcode, 1) <> 0 and (rank is not null or host is not null)
-- told by the library without its host, and by the launcher with it
having max(rank) is not distinct from min(rank) and max(host) is not distinct from min(host)
