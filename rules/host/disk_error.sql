/*
title = "A local disk or its file system failed"
severity = "critical"
confidence = "definite"
status = "stable"
explains = [
  "hang.checkpoint",
  "hang.dataloader",
  "crash",
  "host.disk_full",
  "loss.rollback",
  "perf.slowdown",
]
explains_same_place = ["host.cpu_stall", "host.kernel_panic"]
lasting = true
about = """
The disk did not complete requests, or the file system found itself damaged. After a remount
read-only every write to it fails, with errors that read like missing permissions.
"""
false_positives = "A removable or network block device that was detached on purpose."
references = ["https://docs.kernel.org/admin-guide/ext4.html"]

summary = '''
{% if host %}{{ host }}: {% endif %}{% if gone_drives %}{{ gone_drives | names('disk') }}
{%- elif device %}disk {{ device }}{% else %}a disk{% endif %}:
{% if state == 'read_only' %}its file system is read-only now
{%- elif state == 'gone' %}the controller does not answer
{%- elif state == 'fs_error' %}file system error
{%- elif state == 'disk_io' %}I/O errors
{%- else %}{{ message | cut(100) }}{% endif %}
{%- if times > 1 %} ({{ times }} lines){% endif %}
'''

[[step]]
when = "severity == 'critical'"
say = '''
Take {% if host %}{{ host }}{% else %}the node{% endif %} out of the pool, and check that the last
checkpoint
written to this disk is whole.
'''
run = [
  "@drain ([host], 'disk_error')",
  "@leave_out [host]",
]

[[step]]
when = "drive and drive.startswith('nvme')"
say = '''
Look at the health of the drive{% if state == 'gone' %}, once it is back after a reboot or a power
cycle
{%- endif %}; replace it if it counts media errors or critical warnings.
'''
run = [
  "nvme list",
  "nvme smart-log /dev/{{ drive }}",
  "nvme error-log /dev/{{ drive }}",
]

[[step]]
when = "drive and not drive.startswith('nvme')"
say = "Look at the health of the drive; replace it if it counts pending or reallocated sectors."
run = ["smartctl -a /dev/{{ drive }}"]

[[step]]
when = "device and not drive and state != 'read_only'"
say = '''
Look at the health of the drive below {{ device }}; replace it if it counts pending or reallocated
sectors.
'''
run = ["lsblk -o NAME,TYPE,SIZE,MODEL,SERIAL,MOUNTPOINTS", "smartctl --scan", "cat /proc/mdstat"]

[[step]]
when = "state in ('read_only', 'fs_error') and device"
say = "Unmount the file system and check it before it is used again."
run = ["findmnt -S /dev/{{ device }}", "fsck -n /dev/{{ device }}"]

[[step]]
when = "state == 'beyond_end'"
say = '''
Compare the size of the file system with that of its device: it asks for blocks that are not there.
'''
run = ["lsblk -b"]

[[step]]
otherwise = true
say = "Look at the kernel log for the disk that is meant, and at its health."
run = ["dmesg -T | grep -iE 'I/O error|nvme|ata[0-9]'", "smartctl --scan"]
*/
with
    disk_event as (
        select
            *,
            case
                kind when 'read_only' then 1 when 'fs_error' then 2 when 'disk_io' then 3 else 4
            end as weight,
            disk_drive(device) as drive,
            regexp_matches(
                message, 'Removing|controller is down|not ready|isabling device'
            ) as is_gone
        from kernel_event_of_boot as d
        where
            kind in ('fs_error', 'read_only', 'disk_io', 'nvme', 'beyond_end', 'disk_told')
            and not exists (
                from kernel_event_of_boot as r
                where
                    r.kind = 'removable'
                    and r.device = regexp_extract(d.device, '^sd[a-z]+')
                    and r.host is not distinct from d.host
                    and r.boot is not distinct from d.boot
                    and (r.host is not null or r.file_id = d.file_id)
            )
            -- the last is a partition that only a secure world reads
            and not regexp_matches(
                coalesce(device, ''),
                '^(?:(?:loop|sr|fd|ram|zram|nbd|cdrom|mtdblock)[0-9]'
                || '|mmcblk[0-9]+(?:rpmb|boot|gp))'
            )
            -- a file system on a device that is a file or a network's
            or kind in ('fs_error', 'read_only')
            and regexp_matches(device, '^(?:loop|nbd)[0-9]')
    ),
    host_failure as (
        select
            host,
            boot,
            case when host is null then file_id end as own_file,
            arg_min(e, (weight, line_no)) as worst,
            arg_min(e, line_no) as earliest,
            count(*) as times,
            list_sort(list(distinct device) filter (device is not null)) as devices,
            list(distinct device) filter (
                regexp_matches(device, '^(?:nvme[0-9]+n[0-9]+|[sv]d[a-z]+)$')
            ) as drives,
            min(time) as "at",
            max(time) as until,
            bool_or(kind = 'read_only') as read_only,
            bool_or(is_gone) as is_gone,
            list_sort(list(distinct drive) filter (is_gone and drive is not null)) as gone_drives,
            bool_or(kind not in ('nvme', 'beyond_end')) as is_failed,
            list(line_at(file_id, line_no) order by line_no)[1:20] as evidence
        from disk_event e
        group by all
    )
select
    evidence,
    "at",
    until,
    case when host is not null then [host] else [] end as hosts,
    case when is_failed or is_gone then 'critical' else 'warning' end as severity,
    case when worst.kind = 'disk_told' then 'probable' end as confidence,
    coalesce(
        -- the disk by its name rather than by its port
        case when starts_with(worst.device, 'ata') and len(drives) = 1 then drives[1] end,
        worst.device,
        earliest.device,
        devices[1]
    ) as device,
    disk_drive(device) as drive,
    devices,
    case when len(gone_drives) > 1 then gone_drives end as gone_drives,
    case when read_only then 'read_only' when is_gone then 'gone' else worst.kind end as state,
    read_only,
    times,
    worst.message as message
from host_failure
