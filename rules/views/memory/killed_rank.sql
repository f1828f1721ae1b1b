-- view: Kills for want of host memory, by whom it may be: the kernel's reports where they are, else
-- what others say of them. The rank that was killed, where the kernel knows its process by another
-- number than its launcher, as it does of containers: the one rank that ended by SIGKILL, on the
-- host of the kill or one that the kernel calls by another name.
with
    ended as (
        select distinct rank, short_host(host) as host
        from "exit"
        where
            rank is not null
            and (signal = 9 or exitcode in (-9, 137))
            and (coalesce(first_observed, false) or not exists (from "exit" where first_observed))
    )
select k.file_id, k.line_no, any_value(e.rank) as rank
from (select *, count(*) over () as kills from oom_kill where not is_compiler) k
join
    ended e
    on e.host is null
    or k.host is null
    or short_host(k.host) = e.host
    or short_host(k.host)
    not in (select short_host(host) from identity where host is not null and rank is not null)
where
    k.kills = 1
    and k.process like 'python%'
    and k.victim_pid not in (
        select pid
        from identity
        where pid is not null
        union all
        select pid
        from "exit"
        where pid is not null
    )
group by k.file_id, k.line_no
having count(distinct e.rank) = 1
