-- view: One row per Xid line with what NVIDIA's catalogue says of its code, and of its sub-code
-- where it has one; gpu is dddd:bb:dd.
with
    decoded_line as (
        select *, case when code between 144 and 150 then nvlink5_pieces(message) end as nvlink5
        from xid_line
    )
select
    x.file_id,
    x.line_no,
    x.time,
    x.time_quality,
    x.uptime_seconds,
    x.host,
    x.stream,
    x.code,
    pci_address(x.gpu) as gpu,
    x.gpu_uuid,
    x.gpu_instance,
    x.compute_instance,
    nullif(x.pid, 0) as pid,
    x.process,
    x.message,
    c.mnemonic,
    c.short_meaning as meaning,
    c.class,
    coalesce(n.action, c.immediate_action) as action,
    coalesce(n.investigatory, c.investigatory_action) as investigatory_action,
    c.training_run_fatal,
    c.can_be_caused_by_app = 'yes' as by_application,
    nullif(nvlink5.unit, '') as unit,
    case
        when nvlink5.word ilike 'fatal' then 'fatal' when nvlink5.word <> '' then 'non-fatal'
    end as severity,
    try_cast(nvlink5.link as bigint) as link,
    nvlink5_reason(nvlink5.intr_info) as link_down_reason,
    nullif(nvlink5.error_status, '') as error_status
from decoded_line x
left join xid_catalog c using (code)
left join
    nvlink5_code n
    on n.code = x.code
    and n.unit = nvlink5.unit
    and n.fatal = (nvlink5.word ilike 'fatal')
    and n.error_status = nvlink5.error_status
    and n.reason is not distinct from case
        when nvlink5.unit like 'NETIR_LINK%' then nvlink5_reason(nvlink5.intr_info)
    end
