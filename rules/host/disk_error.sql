/*
title       = "A local disk or its file system failed"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang.checkpoint", "hang.dataloader", "crash", "host.disk_full", "loss.rollback", "perf.slowdown"]
explains_same_place = ["host.cpu_stall", "host.kernel_panic"]
about       = "The disk did not complete requests, or the file system found itself damaged. After a remount read-only every write on it fails, with errors that read like missing permissions."
remedy      = "Take the node out; look at smartctl -a or nvme smart-log of the device; run fsck before it is used again; check that the last checkpoint written there is whole."
false_positives = "A removable or network block device that was detached on purpose."
references  = ["https://docs.kernel.org/admin-guide/ext4.html"]
*/
with
    errors as (
        select
            *,
            case
                kind when 'read_only' then 1 when 'fs_error' then 2 when 'disk_io' then 3 else 4
            end as weight
        from kernel_event_of_boot
        where
            kind in ('fs_error', 'read_only', 'disk_io', 'nvme', 'beyond_end')
            and not regexp_matches(
                coalesce(device, ''),
                '^(?:(?:loop|sr|fd|ram|zram|nbd|cdrom|mtdblock)[0-9]|mmcblk[0-9]+(?:rpmb|boot|gp))'
            )  -- a partition that only a secure world reads
    ),
    grouped as (
        select
            host,
            boot,
            case when host is null then file_id end as own_file,
            arg_min(e, (weight, line_no)) as worst,
            arg_min(e, line_no) as earliest,
            count(*) as times,
            list_sort(list(distinct device) filter (device is not null)) as devices,
            min(time) as "at",
            max(time) as until,
            bool_or(kind = 'read_only') as read_only,
            bool_or(
                message like '%Removing%'
                or message like '%controller is down%'
                or message like '%not ready%'
                or message like '%isabling device%'
            ) as gone,
            list(line_at(file_id, line_no) order by line_no)[1:20] as evidence,
            bool_or(kind not in ('nvme', 'beyond_end')) as failed
        from errors e
        group by all
    )
select
    concat(
        coalesce(host || ': ', ''),
        'disk ',
        coalesce(worst.device, earliest.device, devices[1], '(not named)'),
        ': ',
        case
            when read_only
            then 'its file system is read-only now'
            when gone
            then 'the controller does not answer'
            when worst.kind = 'fs_error'
            then 'file system error'
            when worst.kind = 'disk_io'
            then 'I/O errors'
            else worst.message
        end,
        case when times > 1 then format(' ({} lines)', times) else '' end
    ) as summary,
    evidence,
    "at",
    until,
    case when host is not null then [host] else [] end as hosts,
    case when failed or gone then 'critical' else 'warning' end as severity,
    coalesce(worst.device, earliest.device, devices[1]) as device,
    devices,
    read_only,
    times,
    worst.message as message
from grouped
