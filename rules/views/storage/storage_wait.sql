-- table: One row per report of a hung task that waits in a network or parallel file system, where
-- no line tells of the server itself: filesystem = whose it is (nfs | lustre | gpfs | fuse | ceph
-- | cifs | beegfs, or a kernel module).
select
    s.* exclude (weight),
    concat_ws(' ', s.module, s.waits_in) as place,
    case
        when s.module like 'mmfs%' or s.module like 'tracedev%'
        then 'gpfs'
        when regexp_matches(place, '^(?:_*nfs|sunrpc|rpc)')
        then 'nfs'
        when regexp_matches(place, '^(?:lustre|ptlrpc|osc|lov|lmv|mdc|llite|ldlm|ll_|cl_)')
        then 'lustre'
        when regexp_matches(place, '^_*(?:fuse|request_wait_answer)')
        then 'fuse'
        when regexp_matches(place, '^(?:lib)?ceph|^rbd')
        then 'ceph'
        when regexp_matches(place, '(?i)^(?:cifs|smb2)')
        then 'cifs'
        when regexp_matches(place, '^(?:beegfs|FhgfsOps)')
        then 'beegfs'
        else s.module
    end as filesystem
from kernel_stall as s
where
    s.kind = 'hung_task'
    and s.waits_for = 'file_server'
    and s.process not in (select process from system_daemon)
    and not exists (from file_server_outage)
