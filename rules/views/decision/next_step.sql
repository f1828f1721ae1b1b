-- view: the one row that says what to do next, with the reason as a template over the columns: next
-- = restart | restart_without (hosts) | stop | unknown. It is taken of the root cause alone; where
-- that is the hardware of a host, hosts whose hardware failed for a reason of its own are left out
-- as well.
with
    other as (
        select
            i.id,
            i.root,
            i.rule,
            i.facts,
            i.ranks,
            i.attempt,
            list_sort(coalesce(i.hosts, [])) as hosts,
            i.severity,
            list_position(['possible', 'probable', 'definite'], i.confidence) as grade
        from incident i
        where i.root or (i.explained_by is null and i.severity <> 'info' and len(i.hosts) > 0)
    ),
    by_rule as (
        select
            r.*,
            coalesce(o.next, 'unknown') as next,
            coalesce(o.why, 'open') as why,
            list_position(
                ['possible', 'probable', 'definite'], coalesce(o.confidence, 'possible')
            ) as most
        from other r
        left join
            next_step_of o
            on o.rule = r.rule
            and (
                o.fact is null
                or o.fact = 'severity'
                and r.severity = o.value
                or (r.facts ->> ('$.' || o.fact)) = o.value
                or (r.facts ->> ('$.' || o.fact || '[0]')) = o.value
                or o.value = '*'
                and (r.facts ->> ('$.' || o.fact)) is not null
            )
        -- the order of the rows is theirs
        qualify row_number() over (partition by r.id order by o.fact is null, o.rowid) = 1
    ),
    known_host as (select coalesce(max(len(hosts)), 0) as hosts from job_size),
    -- what else is broken for sure
    also_broken as (
        select
            coalesce(list(id order by id), []) as ids, coalesce(flatten(list(hosts)), []) as hosts
        from by_rule
        where
            not root
            and severity = 'critical'
            and next = 'restart_without'
            and why = 'node'
            and least(grade, most) = 3
    ),
    weighed as (
        select
            b.id,
            b.rule,
            b.ranks,
            b.hosts,
            b.grade,
            a.attempts,
            a.same_step,
            case
                when a.attempts is not null
                then 'again'
                when b.attempt < l.attempt and l.came_to_end
                then 'completed'
                when b.attempt < l.attempt
                then 'overcome'
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
        cross join
            (
                select max(j.attempt) as attempt, count(m.line_no) > 0 as came_to_end
                from job_attempt j
                left join
                    training_mark m
                    on m.kind = 'end'
                    and m.ended_by is null
                    and m.file_id = j.file_id
                    and m.line_no > j.line_no
                where j.calm
            ) l
        where b.root
    ),
    decided as (
        select
            case
                when w.why = 'again'
                then 'stop'
                when w.why in ('which_host', 'widespread', 'overcome', 'completed')
                then 'unknown'
                else w.next
            end as next,
            w.why,
            case
                when w.why = 'node' then list_sort(list_distinct(w.hosts || b.hosts)) else w.hosts
            end as hosts,
            case
                when w.why in ('which_host', 'widespread', 'overcome', 'completed')
                then 1
                when w.why = 'again'
                then w.grade
                else least(w.grade, w.most)
            end as grade,
            case when w.why = 'node' then [w.id] || b.ids else [w.id] end as incidents,
            w.rule,
            w.ranks,
            w.attempts,
            w.same_step
        from weighed w
        cross join also_broken b
        union all by name
        select
            'unknown' as next,
            case when exists (from trouble_sign) then 'no_cause' else 'nothing' end as why,
            []::varchar[] as hosts,
            1 as grade,
            []::bigint[] as incidents
        where not exists (from weighed)
    )
select
    d.next,
    case when d.next = 'restart_without' then d.hosts else [] end as leave_out,
    d.hosts,
    d.ranks,
    (['possible', 'probable', 'definite'])[d.grade] as confidence,
    d.incidents,
    s.says as reason,
    d.rule,
    -- something speaks against another host as well
    exists (
        from by_rule o
        where
            not o.root
            and o.next = 'restart_without'
            and len(list_filter(o.hosts, lambda h: not list_contains(d.hosts, h))) > 0
    ) as others_suspect,
    d.attempts,
    d.same_step
from decided d
join next_step_reason s on s.why = d.why
