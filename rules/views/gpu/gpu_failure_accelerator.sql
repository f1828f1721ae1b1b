-- table: One row per host whose Gaudi cards (intel) or Neuron devices (aws) failed: kind = memory |
-- failed | not_usable | firmware, the worst that was reported.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    case when host is not null then [host] else [] end as hosts,
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
from accelerator_event
where kind in ('not_usable', 'firmware', 'memory', 'failed')
group by host, file_id, vendor
