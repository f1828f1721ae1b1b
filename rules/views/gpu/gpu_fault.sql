-- table: One row per fault of an NVIDIA GPU or of its fabric (NVLink, NVSwitch): all hardware
-- bursts of one GPU, a new row after half a day of silence; a fault of the fabric shows on every
-- machine of it at once, so there it is all bursts of one code. `first_burst` is the burst that
-- names it.
with
    hardware_burst as (
        select
            *,
            coalesce(root_kind = 'sxid' or class = 'nvlink', false) as is_fabric,
            -- the seconds of silence before it: three minutes make a fabric's episode, half a day
            -- makes a GPU's
            t - max(last_t) over (
                partition by root_kind, root_code
                order by clock, t
                rows between unbounded preceding and 1 preceding
            ) as silence_of_code,
            t - max(last_t) over (
                partition by machine, gpu, clock
                order by t
                rows between unbounded preceding and 1 preceding
            ) as silence_of_gpu,
            count(distinct machine || clock) over (partition by root_kind, root_code)
            = 1 as one_machine
        from gpu_burst
        where verdict = 'hardware'
    ),
    numbered as (
        select
            *,
            count_if(coalesce(silence_of_code > 180, true)) over (
                partition by root_kind, root_code order by clock, t
            ) as episode,
            count_if(coalesce(clock = 'wall' and silence_of_gpu > 43200, false)) over (
                partition by machine, gpu, clock order by t
            ) as day
        from hardware_burst
    ),
    keyed as (
        select
            *,
            case
                when not is_fabric
                then concat(machine, gpu, ' ', day)
                when one_machine
                then concat(root_kind, root_code)
                when clock = 'wall'
                then concat(root_kind, root_code, ' ', episode)
                else concat(root_kind, root_code, machine)
            end as fault_key
        from numbered
    )
select
    arg_min(
        k,
        (
            case when k.t is null then 1 else 0 end,
            case when k.root_code is null then 1 else 0 end,
            k.t
        )
    ) as first_burst,
    nullif(count(t), 0) as bursts,
    sum(lines)::bigint as lines,
    min(time) as "at",
    max(last_time) as until,
    list_distinct(flatten(list(gpus))) as gpus,
    list(distinct host) filter (host is not null) as hosts,
    list_sort(list_distinct(flatten(list(xids)))) as xids,
    list_sort(list_distinct(flatten(list(sxids)))) as sxids,
    arg_max(recovery_action, (coalesce(last_t, 0), line_no)) filter (
        recovery_action is not null
    ) as recovery_action,
    bool_or(memory) as memory,
    flatten(list(evidence order by t))[1:20] as evidence
from keyed k
group by fault_key
