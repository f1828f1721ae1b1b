-- table: one row per thread whose printed local variables tell its rank, the world or the step.
select
    file_id,
    thread_line,
    max(
        case when name in ('rank', 'global_rank', 'my_rank') then try_cast(value as bigint) end
    ) as rank,
    max(case when name = 'local_rank' then try_cast(value as bigint) end) as local_rank,
    max(
        case when name in ('world', 'world_size', 'nranks') then try_cast(value as bigint) end
    ) as world_size,
    max(
        case
            when name in ('step', 'global_step', 'iteration', 'it', 'cur_step')
            then try_cast(value as bigint)
        end
    ) as step
from stack_local
group by all
