-- table: One row per GPU whose memory was repaired on paper only: the driver marked rows for
-- remapping or pages for retirement (Xid 63 and its kin), or nvidia-smi says that a repair is
-- pending. A warning where nvidia-smi says so, critical where a program on that host met the error
-- itself, else context: no job ends by it.
with
    note as (
        select
            machine,
            gpu,
            root_code,
            flatten(list(evidence)) as evidence,
            min(time) as "at",
            max(last_time) as until,
            list(distinct host) filter (host is not null) as hosts,
            list_distinct(flatten(list(xids))) as xids,
            any_value(advice) as recommended_action,
            sum(lines)::bigint as lines
        from gpu_burst
        where verdict = 'service'
        group by all
    ),
    pending as (
        select
            gpu,
            list(line_at(file_id, line_no) order by file_id, line_no) as evidence,
            list(distinct host) filter (host is not null) as hosts,
            bool_or(key = 'Pending') as remap_pending,
            bool_or(key = 'Pending Page Blacklist') as retirement_pending
        from gpu_state
        where verdict = 'pending'
        group by gpu
    ),
    -- how many rows, and whether a repair failed, of the GPUs with something pending
    remapped as (
        select
            gpu,
            max(try_cast(value as bigint)) filter (
                key = 'Correctable Error'
            ) as remapped_correctable,
            max(try_cast(value as bigint)) filter (
                key = 'Uncorrectable Error'
            ) as remapped_uncorrectable,
            bool_or(value = 'Yes') filter (key = 'Remapping Failure Occurred') as remap_failure
        from gpu_state
        where section = 'Remapped Rows'
        group by gpu
    ),
    met as (
        select distinct short_host(host) as host
        from cuda_error
        where
            host is not null and regexp_matches(concat_ws(' ', name, said_as), '(?i)uncorrectable')
    ),
    broken as (select distinct gpu from gpu_burst where verdict = 'hardware')
select
    (coalesce(n.evidence, []) || coalesce(p.evidence, []))[1:10] as evidence,
    n.at as "at",
    n.until,
    list_distinct(coalesce(n.hosts, []) || coalesce(p.hosts, [])) as hosts,
    [coalesce(n.gpu, p.gpu)] as gpus,
    'definite' as confidence,
    case
        when coalesce(n.gpu, p.gpu) in (from broken)
        then 'info'
        when
            n.root_code in (63, 92, 160)
            and exists (
                from met
                where list_contains(list_transform(n.hosts, lambda h:short_host(h)), met.host)
            )
        then 'critical'
        when p.gpu is not null
        then 'warning'
        else 'info'
    end as severity,
    'nvidia' as vendor,
    case when n.root_code is null then 'pending' else 'service' end as kind,
    coalesce(t.part, 'memory') as part,
    c.short_meaning as meaning,
    n.root_code as xid,
    n.xids,
    n.root_code,
    coalesce(n.gpu, p.gpu) as pci,
    coalesce(n.recommended_action, 'reset the GPU') as recommended_action,
    n.lines,
    p.remap_pending,
    case when p.retirement_pending then true end as retirement_pending,
    case when p.gpu is not null then r.remap_failure end as remap_failure,
    case when p.gpu is not null then r.remapped_correctable end as remapped_correctable,
    case when p.gpu is not null then r.remapped_uncorrectable end as remapped_uncorrectable
from note as n
full join pending as p on p.gpu = n.gpu and n.root_code in (63, 92, 160)
left join remapped as r on r.gpu = coalesce(n.gpu, p.gpu)
left join xid_catalog as c on c.code = n.root_code
left join xid_triage as t on t.code = n.root_code
