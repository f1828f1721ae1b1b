-- table: one row per pid and rank that logs name together. claims: ranks that name the same pid,
-- on other hosts.
with
    said as (
        select distinct rank, pid, host, local_rank
        from identity
        where rank is not null and pid is not null
        union
        select distinct rank, pid, host, local_rank
        from exit
        where rank is not null and pid is not null
    )
select
    pid,
    rank,
    max(host) as host,
    max(local_rank) as local_rank,
    count(*) over (partition by pid) as claims
from said
group by pid, rank
