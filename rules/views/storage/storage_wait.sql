-- table: One row per report of a hung task that waits in a network or parallel file system, where
-- no line tells of the server itself: filesystem = whose it is (nfs | lustre | gpfs | fuse | ceph
-- | cifs | beegfs, or a kernel module).
select s.* exclude (weight) replace (coalesce(s.filesystem, s.module) as filesystem)
from kernel_stall as s
where
    s.kind = 'hung_task'
    and s.waits_for = 'file_server'
    and s.process not in (select process from system_daemon)
    and not exists (from file_server_outage)
