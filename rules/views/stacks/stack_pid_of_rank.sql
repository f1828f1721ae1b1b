-- table: one row: the pids of the whole job in the order of ranks, if all are known.
select list(pid order by rank) as pid_of_rank
from
    (
        select rank, coalesce(max(d_pid), min(k_pid)) as pid
        from
            (
                select rank, pid as d_pid, null as k_pid
                from stack_rank
                where rank is not null
                union all
                select rank, null, pid
                from stack_known_rank
                where rank is not null and exists (from stack_rank)
            )
        group by rank
    )
having count(*) > 0 and count(*) = count(pid)
