-- view: one row per kill by the kernel's OOM killer whose victim can only be one rank, though the
-- kernel knows the process by another number than the launcher does (in containers): the only
-- kill, and the only rank that ended by SIGKILL, on that host or one the kernel calls by another
-- name.
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
