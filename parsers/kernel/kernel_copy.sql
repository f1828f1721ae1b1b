-- table: One row per file of kernel lines that name no host, where one other host is named and the
-- faults of the one are all among those of the other: both tell of one machine. file_id = the file,
-- host = its name; has_all: the file tells of all faults, and the lines that name the host of some.
with
    fault as (
        select distinct file_id, host, device, message
        from kernel_event
        where
            kind in (
                'nvme',
                'ata',
                'pcie_fatal',
                'pcie_nonfatal',
                'read_only',
                'fs_error',
                'disk_io',
                'mce',
                'memory_ue'
            )
    ),
    nameless as (select distinct file_id, device, message from fault where host is null),
    named as (select distinct host, device, message from fault where host is not null),
    size as (
        select
            (select min(file_id) from nameless) as file_id,
            (select min(host) from named) as host,
            (select count(*) from nameless) as in_file,
            (select count(*) from named) as of_host,
            (
                select count(*)
                from nameless n
                join
                    named m
                    on m.device is not distinct from n.device
                    and m.message is not distinct from n.message
            ) as shared
        where
            (select count(distinct file_id) from nameless) = 1
            and (select count(distinct host) from named) = 1
    )
select file_id, host, shared = of_host as has_all
from size
where shared >= 3 and shared in (in_file, of_host)
