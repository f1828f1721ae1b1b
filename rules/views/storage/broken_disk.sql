-- view: One row per line in which the kernel tells that a disk of the machine, or the file
-- system on it, failed.
select file_id, line_no, time, host, device
from kernel_event
where kind in ('read_only', 'fs_error', 'disk_io', 'nvme', 'detached')
