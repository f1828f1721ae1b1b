-- table: One row per host of whose accelerators a line in words that no grammar knows tells that
-- they failed, where nothing better tells of them: kind = told | heat. A driver's own line is
-- surer than that of a program.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    case when host is not null then [host] else [] end as hosts,
    list_sort(list(distinct rank) filter (rank is not null)) as ranks,
    list_sort(list(distinct gpu) filter (gpu is not null)) as gpus,
    case when bool_or(driver is not null) then 'probable' else 'possible' end as confidence,
    'critical' as severity,
    'other' as vendor,
    'told' as kind,
    arg_min(message, line_no) as error,
    bool_or(
        regexp_matches(message, '(?i)\b(?:ecc|hbm|sram|memory|row|double-bit|multi-bit)\b')
    ) as memory,
    count(*) as lines
from told_failure
where
    kind = 'accelerator'
    and not exists (from gpu_burst where verdict = 'hardware')
    -- what a device plugin makes of an Xid
    and not exists (
        from xid_line x where x.gpu_uuid is not null and contains(told_failure.message, x.gpu_uuid)
    )
    and not exists (from gpu_failure_accelerator)
    and not exists (from gpu_failure_amd)
    and not exists (from gpu_failure_firmware)
    and not exists (from gpu_failure_state)
    and not exists (from gpu_failure_diagnosis)
group by host, case when host is null then file_id end
