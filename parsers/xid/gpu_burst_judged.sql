-- table: One row per part of a burst with what the other parts make of it: verdict, root_order and
-- advice as they count, cause_code (what a 45 names as its cause, else the code itself), is_named
-- (a 45 names this code, on this GPU), least_order of the burst.
with
    part as (
        select
            *,
            -- a recovery is asked for, a channel was torn down, a link failed: a job was hurt
            bool_or(code = 154 or (kind = 'xid' and code in (45, 74))) over b as is_job_hurt,
            list(distinct previous) filter (previous not in (0, 45)) over g as named,
            min(coalesce(t, line_no)) filter (kind = 'xid' and code = 154) over g as asked_at
        from gpu_burst_part
        window
            b as (partition by machine, clock, era, burst),
            g as (partition by machine, clock, era, burst, gpu)
    ),
    described as (
        select
            *,
            coalesce(kind = 'xid' and code = 45 and previous not in (0, 45), false) as is_heir,
            coalesce(kind = 'xid' and code between 144 and 150, false) as is_nvlink5,
            -- said to be no fatal one, or one that the catalogue tells to ignore although it is
            is_nvlink5 and coalesce(not fatal or decoded_action = 'ignore', false) as is_minor_link,
            -- of little account by itself, but the driver asked for a recovery of the same GPU
            -- then: what asks (154) is never the cause
            coalesce(
                kind = 'xid'
                and verdict = 'info'
                and not is_nvlink5
                and code <> 154
                and coalesce(t, line_no) <= asked_at,
                false
            ) as is_prompt,
            coalesce(
                kind = 'xid' and len(named) = 1 and list_contains(named, code), false
            ) as is_only_named
        from part
    ),
    judged as (
        select
            d.* replace (
                case
                    when d.is_minor_link and not d.is_job_hurt
                    then 'info'
                    when d.is_heir
                    then coalesce(p.verdict, 'info')
                    when d.is_prompt
                    then 'hardware'
                    else d.verdict
                end as verdict,
                case
                    when d.is_minor_link
                    then case when d.is_job_hurt then 53 else 130 end
                    when d.is_prompt
                    then 109
                    when d.is_heir
                    then coalesce(p.root_order, 99)
                    when d.is_only_named
                    then d.root_order - 0.5
                    else d.root_order
                end as root_order,
                case
                    when d.is_heir
                    then p.advice
                    when d.is_prompt
                    then 'follow the recovery action'
                    else d.advice
                end as advice
            ),
            case when d.is_heir then d.previous else d.code end as cause_code,
            -- of NVLink's codes a fatal one comes before those that are not, whichever the driver
            -- holds responsible
            d.is_only_named
            and not (
                d.is_minor_link
                and bool_or(d.is_nvlink5 and not d.is_minor_link) over (
                    partition by d.machine, d.clock, d.era, d.burst, d.gpu
                )
            ) as is_named
        from described d
        left join xid_triage p on p.code = d.previous
    )
select *, min(root_order) over (partition by machine, clock, era, burst) as least_order
from judged
