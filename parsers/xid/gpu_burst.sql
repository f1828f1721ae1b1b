-- table: Xid and SXid events of one machine less than three minutes apart, with the one that caused
-- the others (verdict: hardware | application | killed | service | info). The root of each burst:
-- the least in the order of causes, the earliest of equals; what a 45 names as its cause wins on
-- its GPU.
with
    seen as (
        select
            *,
            bool_or(code = 154 or (code in (45, 74) and kind = 'xid')) over b as job_hurt,
            list(distinct previous) filter (previous not in (0, 45)) over (
                partition by machine, clock, era, burst, gpu
            ) as named,
            min(coalesce(t, line_no)) filter (code = 154 and kind = 'xid') over (
                partition by machine, clock, era, burst, gpu
            ) as asked_at
        from gpu_burst_part
        window b as (partition by machine, clock, era, burst)
    ),
    judged as (
        select
            * replace (
                case
                    when minor_link and not job_hurt
                    then 'info'
                    when heir
                    then coalesce(p_verdict, 'info')
                    when prompts
                    then 'hardware'
                    else verdict
                end as verdict,
                case
                    when minor_link
                    then case when job_hurt then 53 else 130 end
                    when prompts
                    then 109
                    when heir
                    then coalesce(p_order, 99)
                    when len(named) = 1 and kind = 'xid' and list_contains(named, code)
                    then root_order - 0.5
                    else root_order
                end as root_order,
                case
                    when heir
                    then p_advice
                    when prompts
                    then 'follow the recovery action'
                    else advice
                end as advice
            ),
            case when heir then previous else code end as cause_code,
            -- of NVLink's codes a fatal one comes before those that are not, whichever the driver
            -- holds responsible
            kind = 'xid'
            and len(named) = 1
            and coalesce(list_contains(named, code), false)
            and not (
                minor_link
                and bool_or(kind = 'xid' and code between 144 and 150 and not minor_link) over (
                    partition by machine, clock, era, burst, gpu
                )
            ) as is_named
        from
            (
                select
                    *,
                    coalesce(code = 45 and kind = 'xid' and previous not in (0, 45), false) as heir,
                    -- said to be no fatal one, or one that the catalogue tells to ignore although
                    -- it is
                    coalesce(
                        kind = 'xid'
                        and code between 144 and 150
                        and (not fatal or decoded_action = 'ignore'),
                        false
                    ) as minor_link,
                    -- of little account by itself, but the driver asked for a recovery of the
                    -- same GPU then: what asks is never the cause
                    coalesce(
                        kind = 'xid'
                        and verdict = 'info'
                        and code not between 144
                        and 150
                        and code <> 154
                        and coalesce(t, line_no) <= asked_at,
                        false
                    ) as prompts
                from seen
            )
        left join
            (
                select
                    code as p_code, verdict as p_verdict, root_order as p_order, advice as p_advice
                from xid_triage
            )
            on p_code = previous
    ),
    roots as (
        select
            machine,
            clock,
            era,
            burst,
            arg_min(
                p,
                (
                    case when named_here then 0 else 1 end,
                    p.root_order,
                    coalesce(p.t, p.line_no),
                    p.file_id,
                    p.line_no
                )
            ) as root
        from
            (
                select
                    j as p,
                    j.machine,
                    j.clock,
                    j.era,
                    j.burst,
                    j.is_named and list_contains(j.top_gpus, j.gpu) as named_here
                from
                    (
                        select
                            *,
                            list(distinct gpu) filter (root_order = least_order) over (
                                partition by machine, clock, era, burst
                            ) as top_gpus
                        from
                            (
                                select
                                    *,
                                    min(root_order) over (
                                        partition by machine, clock, era, burst
                                    ) as least_order
                                from judged
                            )
                    ) j
            )
        group by all
    )
select * exclude (root_evidence, parts), flatten([root_evidence, flatten(parts)[1:20]]) as evidence
from
    (
        select
            r.machine,
            r.clock,
            r.era,
            r.burst,
            r.root.verdict as verdict,
            r.root.kind as root_kind,
            r.root.cause_code as root_code,
            r.root.gpu as gpu,
            r.root.class as class,
            r.root.fatal as fatal,
            r.root.advice as advice,
            r.root.message as message,
            r.root.gpu_instance as gpu_instance,
            r.root.compute_instance as compute_instance,
            r.root.unit as unit,
            r.root.reason as link_down_reason,
            r.root.error_status as error_status,
            r.root.link as link,
            r.root.decoded_action as decoded_action,
            r.root.decoded_investigatory as decoded_investigatory,
            r.root.pid as pid,
            r.root.process as process,
            r.root.root_order as root_order,
            any_value(p.host) as host,
            min(p.t) as t,
            max(p.last_t) as last_t,
            r.root.time as time,
            max(p.last_time) as last_time,
            r.root.uptime_seconds as uptime_seconds,
            r.root.file_id as file_id,
            r.root.line_no as line_no,
            sum(p.lines)::bigint as lines,
            list_sort(
                list(distinct p.code) filter (p.kind in ('xid', 'lost') and p.code is not null)
            ) as xids,
            list_sort(list(distinct p.code) filter (p.kind = 'sxid')) as sxids,
            list_sort(
                list(distinct p.gpu) filter (
                    p.kind <> 'sxid'
                    and (
                        p.gpu = r.root.gpu
                        or p.code = r.root.cause_code
                        or (p.code = 154 and r.root.class = 'nvlink')
                        or (
                            r.root.cause_code between 144 and 150 and p.previous between 144 and 150
                        )
                    )
                )
            ) as gpus,
            arg_max(p.recovery, (coalesce(p.last_t, 0), p.line_no)) filter (
                p.recovery is not null
            ) as recovery_action,
            first(p.pid order by p.root_order, p.line_no) filter (
                p.pid is not null and p.gpu = r.root.gpu and p.code not in (119, 120)
            ) as any_pid,
            first(p.process order by p.root_order, p.line_no) filter (
                p.pid is not null and p.gpu = r.root.gpu and p.code not in (119, 120)
            ) as any_process,
            bool_or(p.code in (48, 63, 64, 94, 95, 140, 171, 172)) as memory,
            r.root.evidence as root_evidence,
            list(p.evidence order by p.root_order, p.line_no) as parts
        from roots r
        join gpu_burst_part p using (machine, clock, era, burst)
        group by all
    )
