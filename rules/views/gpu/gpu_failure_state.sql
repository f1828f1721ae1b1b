-- table: One row per GPU of which nvidia-smi -q says that it failed: kind = replace (its memory can
-- no longer be repaired) | uncorrectable (errors since its last reset) | recovery (what it asks
-- for). Where the driver told of the same GPU, its own lines are the incident.
with driver_failure as (select distinct gpu from gpu_burst where verdict = 'hardware')
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:10] as evidence,
    list(distinct host) filter (host is not null) as hosts,
    [gpu] as gpus,
    case when bool_or(verdict = 'replace') then 'definite' else 'probable' end as confidence,
    case when gpu in (from driver_failure) then 'info' else 'critical' end as severity,
    'nvidia' as vendor,
    case
        when bool_or(verdict = 'uncorrectable')
        then 'uncorrectable'
        when bool_or(verdict = 'replace')
        then 'replace'
        else 'recovery'
    end as kind,
    any_value(value) filter (verdict = 'recovery') as recovery,
    case when bool_or(verdict = 'replace') then true end as unrepairable,
    gpu as pci,
    bool_or(verdict in ('uncorrectable', 'replace')) as memory,
    any_value(key) as error,
    max(try_cast(value as bigint)) filter (verdict = 'uncorrectable') as uncorrectable_errors
from gpu_state
where verdict in ('uncorrectable', 'replace', 'recovery')
group by gpu, file_id
