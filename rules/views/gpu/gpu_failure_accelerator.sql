-- table: One row per host whose Gaudi cards (intel), Intel GPUs, Neuron devices (aws) or GPUs
-- failed, as their
-- drivers or libraries report it: kind = memory | failed | not_usable | firmware, the worst that
-- was reported. What a library reports counts where no line of NVIDIA's driver tells more.
with
    failure as (
        select vendor, kind, gpu, null as rank, host, message, time, file_id, line_no
        from accelerator_event
        where kind in ('not_usable', 'firmware', 'memory', 'failed')
        union all by name
        select
            case
                library when 'nvml' then 'nvidia' when 'neuron' then 'aws' else 'intel'
            end as vendor,
            case when name like '%HBM_UE' then 'memory' else 'failed' end as kind,
            rank,
            host,
            coalesce(text, name) || ': ' || meaning as message,
            time,
            file_id,
            line_no
        from library_failure
        where
            "class" = 'device'
            and not (library = 'nvml' and exists (from gpu_burst where verdict = 'hardware'))
    )
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    case when host is not null then [host] else [] end as hosts,
    list_sort(list(distinct rank) filter (rank is not null)) as ranks,
    list_sort(list(distinct gpu) filter (gpu is not null)) as gpus,
    case when bool_or(kind <> 'firmware') then 'definite' else 'probable' end as confidence,
    'critical' as severity,
    vendor,
    list_filter(
        ['memory', 'failed', 'not_usable', 'firmware'], lambda k:list_contains(list(kind), k)
    )[1] as kind,
    arg_min(message, line_no) as error,
    bool_or(kind = 'memory') as memory,
    count(*) as lines
from failure
group by host, file_id, vendor
