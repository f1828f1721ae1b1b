-- table: One row per host and boot whose PCIe port told of a fatal error after which the driver
-- could not bring back the GPUs behind it, where no Xid tells of them: device = the port.
with
    fault as (
        select
            host,
            boot,
            file_id,
            arg_min(device, line_no) as device,
            arg_min(message, line_no) as error,
            min(line_no) as line_no,
            min(time) as "at",
            max(time) as until,
            count(*) as lines,
            list(line_at(file_id, line_no) order by line_no)[1:20] as evidence
        from machine_fault
        where part = 'pcie'
        group by host, boot, file_id
    )
select
    list_distinct(any_value(f.evidence) || list(line_at(g.file_id, g.line_no) order by g.line_no))[
        1:20
    ] as evidence,
    any_value(f."at") as "at",
    any_value(f.until) as until,
    case when f.host is not null then [f.host] else [] end as hosts,
    'probable' as confidence,
    'nvidia' as vendor,
    'port' as kind,
    'bus' as part,
    any_value(f.device) as device,
    any_value(f.error) as error,
    false as memory,
    list_sort(list(distinct pci_address(g.device))) as gpus,
    case when len(gpus) = 1 then gpus[1] end as pci,
    any_value(f.lines) as lines,
    f.boot
from fault f
join
    kernel_event g
    on g.kind = 'pcie_gpu'
    and g.file_id = f.file_id
    and g.host is not distinct from f.host
    and abs(g.line_no - f.line_no) <= 40
where
    not exists (
        from gpu_burst b
        where b.verdict = 'hardware' and (b.host = f.host or b.host is null or f.host is null)
    )
group by f.host, f.boot, f.file_id
