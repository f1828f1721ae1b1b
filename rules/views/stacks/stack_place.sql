-- table: one row per place in the code where ranks are, and what they do there (class).
-- n: ranks that are not at ordinary work. is_crowd: where most wait for peers, or most are if
-- nobody waits. is_mass: where most are. The other columns are those of the first rank there.
with
    place as (
        select
            place,
            class,
            count_if(not soft) as n,
            bool_or(peer) as has_waiting,
            min(rank) as first_rank,
            first(
                {
                    'rank':rank,
                    'role':role,
                    'own_path':own_path,
                    'own_calls':own_calls,
                    'function':decided_function,
                    'top_function':top.f
                }
                order by peer desc, rank
            ) as one
        from stack_rank
        where not failed
        group by place, class
        having count_if(not soft) > 0
    )
select
    place,
    class,
    n,
    one.role,
    one.own_path,
    one.own_calls,
    one.function,
    one.top_function,
    row_number() over (order by has_waiting desc, n desc, one.rank) = 1 as is_crowd,
    row_number() over (order by n desc, first_rank) = 1 as is_mass
from place
