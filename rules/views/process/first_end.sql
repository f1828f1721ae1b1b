-- table: One row at most: the process whose end a launcher saw first, by its rank or its host. A
-- host that is named counts before the one whose output this is.
with
    ended as (
        select
            rank,
            host,
            host is not null
            and host is distinct from nullif(split_part(stream, '|', 1), '') as is_named
        from "exit"
        where
            first_observed and coalesce(exitcode, 1) <> 0 and (rank is not null or host is not null)
    )
select
    list(distinct rank) filter (rank is not null) as ranks,
    coalesce(
        list(distinct host) filter (is_named), list(distinct host) filter (host is not null)
    ) as hosts
from ended
-- told by the library without its host, and by the launcher with it
having
    max(rank) is not distinct from min(rank)
    and coalesce(len(hosts), 0) < 2
    -- of another one only the number may be left
    and (
        select count(distinct pid) < 2
        from "exit"
        where first_observed and coalesce(exitcode, 1) <> 0
    )
