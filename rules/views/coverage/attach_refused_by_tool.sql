-- view: one row per tool and reason for which it could not look into processes that are there, as
-- long as the cause is not settled. reason: permission | capability | traced, see attach_refused.
-- ranks: none unless they are known of all these processes; pid: the only one.
select
    tool,
    reason,
    coalesce(list(distinct host order by host) filter (host is not null), []) as hosts,
    case when count(rank) = count(*) then list(distinct rank order by rank) else [] end as ranks,
    coalesce(list(distinct pid order by pid) filter (pid is not null), []) as pids,
    case when count(distinct pid) = 1 and count(pid) = count(*) then min(pid) end as pid
from attach_refused
where
    reason in ('permission', 'capability', 'traced')
    and not exists (from open_question where settled)
group by tool, reason
