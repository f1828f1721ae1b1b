-- table: One row per NVMe drive that its driver gave up after a fatal error of the PCIe port above
-- it: port = its address.
select
    n.host,
    n.boot,
    n.file_id,
    n.device as drive,
    min(n.line_no) as line_no,
    any_value(f.device) as port
from kernel_event_of_boot n
asof join
    (from machine_fault where part = 'pcie' and device is not null) f
    on f.file_id = n.file_id
    and f.host is not distinct from n.host
    and f.line_no <= n.line_no
where n.kind = 'nvme' and is_drive_gone(n.message) and n.line_no - f.line_no <= 60
group by n.host, n.boot, n.file_id, n.device
