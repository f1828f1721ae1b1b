-- view: One row per GPU and Xid that says a repair is due: context, no job ends by it.
select
    flatten(list(evidence))[1:10] as evidence,
    min(time) as "at",
    max(last_time) as until,
    list(distinct host) filter (host is not null) as hosts,
    [gpu] as gpus,
    'definite' as confidence,
    'info' as severity,
    'nvidia' as vendor,
    'service' as kind,
    any_value(t.part) as part,
    any_value(c.short_meaning) as meaning,
    root_code as xid,
    list_distinct(flatten(list(xids))) as xids,
    root_code,
    gpu as pci,
    any_value(b.advice) as recommended_action,
    sum(lines)::bigint as lines
from gpu_burst b
left join xid_catalog c on c.code = b.root_code
left join xid_triage t on t.code = b.root_code
where b.verdict = 'service'
group by machine, gpu, root_code
