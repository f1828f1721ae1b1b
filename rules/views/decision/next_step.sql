-- view: the one row that says what to do next, with the reason as a template over the columns: next
-- = restart | restart_without (hosts) | stop | unknown. It is taken of the root cause alone;
-- another root of the same weight makes it less sure.
with
    root as (
        select
            id,
            rule,
            facts,
            list_sort(coalesce(hosts, [])) as hosts,
            list_position(['possible', 'probable', 'definite'], confidence) as grade
        from incident
        where root
    ),
    by_rule as (
        select
            r.*,
            coalesce(o.next, 'unknown') as next,
            coalesce(o.why, 'open') as why,
            list_position(
                ['possible', 'probable', 'definite'], coalesce(o.confidence, 'possible')
            ) as most
        from root r
        left join
            next_step_of o
            on o.rule = r.rule
            and (o.fact is null or (r.facts ->> ('$.' || o.fact)) = o.value::varchar)
        qualify row_number() over (order by o.fact is null, o.fact = 'reason', o.value) = 1
    ),
    known_host as (select coalesce(max(len(hosts)), 0) as hosts from job_size),
    weighed as (
        select
            b.id,
            b.rule,
            b.hosts,
            b.grade,
            a.attempts,
            a.same_step,
            case
                when a.attempts is not null
                then 'again'
                when b.next = 'restart_without' and len(b.hosts) = 0
                then 'which_host'
                when b.why = 'node' and len(b.hosts) > 1 and 2 * len(b.hosts) > k.hosts
                then 'widespread'
                else b.why
            end as why,
            b.next,
            b.most
        from by_rule b
        cross join known_host k
        left join failed_again a on b.rule like 'crash.%' or b.rule like 'oom.%'
    ),
    decided as (
        select
            case
                when why = 'again'
                then 'stop'
                when why in ('which_host', 'widespread')
                then 'unknown'
                else next
            end as next,
            why,
            hosts,
            case
                when why in ('which_host', 'widespread')
                then 1
                when why = 'again'
                then grade
                else least(grade, most)
            end as grade,
            [id] as incidents,
            rule,
            attempts,
            same_step
        from weighed
        union all by name
        select
            'unknown' as next,
            case when exists (from trouble_sign) then 'no_cause' else 'nothing' end as why,
            []::varchar[] as hosts,
            1 as grade,
            []::bigint[] as incidents
        where not exists (from root)
    )
select
    d.next,
    case when d.next = 'restart_without' then d.hosts else [] end as leave_out,
    d.hosts,
    (['possible', 'probable', 'definite'])[d.grade] as confidence,
    d.incidents,
    s.says as reason,
    d.rule,
    d.attempts,
    d.same_step
from decided d
join next_step_reason s on s.why = d.why
