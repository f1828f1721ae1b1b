-- table: the one row that says how large the job is: world_size where a log tells it, ranks_heard =
-- how many ranks any log says something of, silent_ranks = those that none does, hosts = all known.
with
    heard as (
        select distinct rank
        from
            (
                select rank
                from timeline
                union all
                select rank
                from file
                union all
                select rank
                from rank
            )
        where rank is not null
    ),
    world as (
        select max(world_size) as world_size
        from identity_link
        where world_size between 2 and 100000
    )
select
    world_size,
    (select count(*) from heard) as ranks_heard,
    case
        when (select count(*) from heard) > 1
        then
            (
                select coalesce(list(r order by r), [])
                from (select unnest(ranks_below(world_size)) as r)
                where r not in (select rank from heard)
            )
        else []
    end as silent_ranks,
    (select coalesce(list(host order by host), []) from host) as hosts
from world
