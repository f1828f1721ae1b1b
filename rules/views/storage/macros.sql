-- The drive that a device of the kernel's block layer is part of, NULL where it is none.
create macro disk_drive(device) as
    nullif(regexp_extract(device, '^(?:nvme[0-9]+|[sv]d[a-z]+)'), '')
;
