-- table: One row per host and boot whose PCIe told of a fatal error of a GPU, or after which the
-- driver could not bring back the GPUs behind a port, where no Xid tells that they failed: device =
-- the port, is_unrecovered = the driver said so.
-- kind = port (a fatal error) | bus_error (one that the kernel calls non-fatal). What a GPU
-- refused is of the second kind as well, and harms nothing: it counts where a request had no
-- answer, or where what read like a fault of the program followed on the same GPU.
with
    fault as (
        select
            host,
            boot,
            file_id,
            arg_min(device, line_no) filter (
                driver is null or driver not in ('nvidia', 'amdgpu')
            ) as device,
            arg_min(message, line_no) as error,
            min(line_no) as line_no,
            min(time) as "at",
            max(time) as until,
            count(*) as lines,
            list(line_at(file_id, line_no) order by line_no)[1:20] as evidence
        from machine_fault
        where part = 'pcie'
        group by host, boot, file_id
    ),
    lost as (  -- the driver could not bring the GPU back, or the GPU tells of the error itself
        select
            file_id,
            host,
            line_no,
            pci_address(device) as gpu,
            coalesce(driver, message) as driver,
            kind = 'pcie_gpu' as is_unrecovered
        from kernel_event
        where kind = 'pcie_gpu' or kind = 'pcie_fatal' and driver in ('nvidia', 'amdgpu')
    ),
    nonfatal as (
        select
            g.host,
            g.boot,
            g.file_id,
            g.line_no,
            g.time,
            pci_address(g.device) as gpu,
            e.device,
            e.message,
            e.line_no as error_line,
            e.time as error_time
        from kernel_event_of_boot g
        asof join
            (from kernel_event_of_boot where kind = 'pcie_nonfatal') e
            on e.file_id = g.file_id
            and e.host is not distinct from g.host
            and e.line_no <= g.line_no
        where g.kind = 'pcie_gpu' and g.line_no - e.line_no <= 40
    ),
    judged as (
        select
            n.*,
            (
                select max(c.line_no)
                from kernel_event c
                where
                    c.kind = 'pcie_timeout'
                    and c.file_id = n.file_id
                    and c.line_no between n.error_line and n.line_no
            ) as timeout_line,
            exists (
                from gpu_burst b
                where
                    b.verdict = 'application'
                    and list_contains(b.gpus, n.gpu)
                    and b.file_id = n.file_id
                    and b.line_no > n.line_no
                    and coalesce(b.time - n.time < interval 5 minute, b.line_no - n.line_no < 200)
            ) as is_followed
        from nonfatal n
    ),
    unanswered as (
        select
            host,
            boot,
            arg_min(device, error_line) as device,
            arg_min(message, error_line) as error,
            min(error_time) as "at",
            max(time) as until,
            count(*) as lines,
            bool_or(is_followed) as is_followed,
            count(timeout_line) > 0 as timed_out,
            list_sort(list(distinct gpu)) as gpus,
            list_distinct(
                flatten(
                    list(
                        [line_at(file_id, error_line)] || case
                            when timeout_line is null then [] else [line_at(file_id, timeout_line)]
                        end
                        || [line_at(file_id, line_no)]
                        order by line_no
                    )
                )
            )[1:20] as evidence
        from judged
        where timeout_line is not null or is_followed
        group by host, boot
    )
select
    list_distinct(any_value(f.evidence) || list(line_at(g.file_id, g.line_no) order by g.line_no))[
        1:20
    ] as evidence,
    any_value(f."at") as "at",
    any_value(f.until) as until,
    case when f.host is not null then [f.host] else [] end as hosts,
    'probable' as confidence,
    case when bool_or(g.driver = 'amdgpu') then 'amd' else 'nvidia' end as vendor,
    'port' as kind,
    'bus' as part,
    any_value(f.device) as device,
    any_value(f.error) as error,
    bool_or(g.is_unrecovered) as is_unrecovered,
    false as memory,
    list_sort(list(distinct g.gpu)) as gpus,
    case when len(gpus) = 1 then gpus[1] end as pci,
    any_value(f.lines) as lines,
    f.boot
from fault f
join
    lost g
    on g.file_id = f.file_id
    and g.host is not distinct from f.host
    and abs(g.line_no - f.line_no) <= 40
where
    not exists (
        from gpu_burst b
        where b.verdict = 'hardware' and (b.host = f.host or b.host is null or f.host is null)
    )
group by f.host, f.boot, f.file_id
union all by name
select
    evidence,
    "at",
    until,
    case when host is not null then [host] else [] end as hosts,
    case when is_followed then 'critical' else 'warning' end as severity,
    case when is_followed then 'probable' else 'possible' end as confidence,
    'nvidia' as vendor,
    'bus_error' as kind,
    'bus' as part,
    device,
    error,
    timed_out,
    false as memory,
    gpus,
    case when len(gpus) = 1 then gpus[1] end as pci,
    lines,
    boot
from unanswered u
where
    not exists (from fault f where f.host is not distinct from u.host)
    and not exists (
        from gpu_burst b
        where b.verdict = 'hardware' and (b.host = u.host or b.host is null or u.host is null)
    )
