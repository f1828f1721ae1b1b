-- view: one row per part in which the root cause lies, as it names them: kind = host | gpu | link;
-- name: of a GPU or link with its host, without which its number says nothing; named: how many of
-- this kind it names; hosts: how many the job had, as far as logs tell. What names nearly all hosts
-- lies in none of them.
with
    root as (
        select
            id,
            rule,
            first,
            -- which machine that is no other run knows
            list_filter(hosts, lambda x:x <> 'localhost') as hosts,
            gpus,
            facts ->> 'device' as device
        from incident
        where root
    ),
    job as (select max(len(hosts)) as hosts from job_size)
select
    'host' as kind, unnest(r.hosts) as name, r.rule, r.first as time, len(r.hosts) as named, j.hosts
from root as r, job as j
union all
select 'gpu', concat_ws(' ', r.hosts[1], unnest(r.gpus)), r.rule, r.first, len(r.gpus), j.hosts
from root as r, job as j
where len(r.hosts) = 1
union all
select 'link', concat_ws(' ', r.hosts[1], r.device), r.rule, r.first, 1, j.hosts
from root as r, job as j
where r.device is not null and len(r.hosts) = 1 and starts_with(r.rule, 'network.')
