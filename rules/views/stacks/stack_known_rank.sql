-- table: --- the rank of a dump, and which of several dumps of a process is the last
-- --------------------------------------------- What logs say of rank and pid; a pid that two hosts
-- use needs the host.
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
