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
{%- elif state == 'detached' %}its size is 0 now: it was detached while in use, or left its bus
{%- elif state == 'gone' %}
{%- if port %}it dropped off PCIe (port {{ port }}){% else %}the controller does not answer
{%- endif %}{% if read_only %}, and a file system on it is read-only now{% endif %}
{%- elif state == 'fs_error' %}file system error
{%- elif state == 'disk_io' %}I/O errors
{%- else %}{{ message | cut(100) }}{% endif %}
{%- if times > 1 %} ({{ times }} lines){% endif %}
'''

[[step]]
when = "state == 'detached'"
say = '''
Find out who detached {{ device }}{% if host %} from {{ host }}{% endif %}, or, where it is a drive
of the machine, why it left its bus. Attach it again, check its file system, and check that the last
checkpoint written to it is whole.
'''
run = ["lsblk -b -o NAME,SIZE,MODEL,SERIAL,MOUNTPOINTS", "fsck -n /dev/{{ device }}"]

[[step]]
when = "severity == 'critical' and state != 'detached'"
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
when = "state == 'gone' and port"
say = '''
Reseat drive {{ drive }} and check its slot, riser and cable. If it drops off again, see whether it
does so without power saving of drive and link (kernel options
nvme_core.default_ps_max_latency_us=0 and pcie_aspm=off); replace it if it does.
'''
run = ["lspci -vvs {{ port }}", "dmesg -T | grep -E 'AER|DPC|nvme'", "cat /proc/cmdline"]

[[step]]
when = "drive and drive.startswith('nvme') and state != 'detached'"
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
when = "drive and not drive.startswith('nvme') and state != 'detached'"
say = "Look at the health of the drive; replace it if it counts pending or reallocated sectors."
run = ["smartctl -a /dev/{{ drive }}"]

[[step]]
when = "device and not drive and state not in ('read_only', 'detached')"
say = '''
Look at the health of the drive below {{ device }}; replace it if it counts pending or reallocated
sectors.
'''
run = ["lsblk -o NAME,TYPE,SIZE,MODEL,SERIAL,MOUNTPOINTS", "smartctl --scan", "cat /proc/mdstat"]

[[step]]
when = "state == 'gone' and read_only"
say = "Check the file systems on it before they are used again, once it is back."
run = ["lsblk -o NAME,TYPE,SIZE,MODEL,SERIAL,MOUNTPOINTS"]

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
                kind
                when 'detached'
                then 0
                when 'read_only'
                then 1
                when 'fs_error'
                then 2
                when 'disk_io'
                then 3
                else 4
            end as weight,
            disk_drive(device) as drive,
            is_drive_gone(message) as is_gone
        from kernel_event_of_boot as d
        where
            kind in (
                'fs_error',
                'read_only',
                'disk_io',
                'nvme',
                'ata',
                'beyond_end',
                'detached',
                'disk_path',
                'disk_told'
            )
            and not exists (
                from kernel_event_of_boot as r
                where
                    r.kind = 'removable'
                    and r.device = regexp_extract(d.device, '^sd[a-z]+')
                    and r.host is not distinct from d.host
                    and r.boot is not distinct from d.boot
                    and (r.host is not null or r.file_id = d.file_id)
            )
            -- commands that are lost at one moment only are done again, and are not missed, where
            -- the port recovers
            and (
                kind <> 'ata'
                or (
                    select count(*)
                    from kernel_event as r
                    where r.kind = 'ata' and r.device = d.device and r.file_id = d.file_id
                )
                >= 3
                and not exists (
                    from kernel_event as r
                    where
                        r.kind = 'ata_back'
                        and r.device = regexp_extract(d.device, '^ata[0-9]+')
                        and r.file_id = d.file_id
                        and r.line_no > d.line_no
                )
                or exists (
                    from kernel_event as r
                    where
                        r.kind = 'ata'
                        and r.device = d.device
                        and r.file_id = d.file_id
                        and r.host is not distinct from d.host
                        and abs(
                            coalesce(
                                r.uptime_seconds - d.uptime_seconds, epoch(r.time) - epoch(d.time)
                            )
                        )
                        >= 10
                )
            )
            -- what the command failed of stands below it
            and not (
                kind = 'ata'
                and exists (
                    from kernel_event as r
                    where
                        r.kind = 'disk_io'
                        and r.device = d.device
                        and r.file_id = d.file_id
                        and r.line_no between d.line_no and d.line_no + 8
                )
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
            arg_min(e, line_no) filter (is_gone and starts_with(drive, 'nvme')) as lost,
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
            bool_or(kind not in ('nvme', 'ata', 'beyond_end', 'disk_path')) as is_failed,
            list(line_at(file_id, line_no) order by line_no)[1:20] as evidence
        from disk_event e
        group by all
    ),
    -- what fails on a drive that has gone is the echo of that
    judged as (
        select
            * exclude (worst),
            coalesce(
                lost.file_id = worst.file_id
                and lost.line_no <= worst.line_no
                and coalesce(worst.drive, lost.drive) = lost.drive,
                false
            ) as began_gone,
            case when began_gone then lost else worst end as worst
        from host_failure
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
    case
        when is_gone and (began_gone or not read_only)
        then 'gone'
        when worst.kind = 'detached'
        then 'detached'
        when read_only
        then 'read_only'
        else worst.kind
    end as state,
    read_only,
    port,
    times,
    worst.message as message
from judged
left join
    (
        select file_id as lost_in, drive as lost_drive, boot as lost_boot, any_value(port) as port
        from drive_off_bus
        group by all
    )
    on began_gone
    and lost_in = worst.file_id
    and lost_drive = worst.drive
    and lost_boot = boot
