-- table: One row per rank of which something can be heard here: those with a log of their own,
-- those that a launcher or a line of identity names, those that print steps, and the rest of the
-- job where one log holds
-- nearly all of it.
with
    named_rank as (
        select rank
        from file
        where rank is not null and lines > 0 and reader = 'lines'
        union
        select rank
        from rank
        where rank is not null
        union
        select coalesce(rank, group_rank)
        from c10d_timeout_line
        where source = 'watchdog' and coalesce(rank, group_rank) is not null
        union
        select rank
        from c10d_timeout_line
        where rank is not null
        union
        select distinct rank
        from training_line
        where rank is not null
    ),
    world as (select max(world_size) as world_size from identity_link),
    one_log as (
        select count(distinct rank) as ranks
        from c10d_timeout_line
        where rank is not null
        group by file_id
        order by ranks desc
        limit 1
    )
select rank
from named_rank
where rank is not null
union
select unnest(ranks_below(world_size))
from world, one_log
where world_size between 4 and 100000 and ranks >= world_size - greatest(1, divide(world_size, 8))
