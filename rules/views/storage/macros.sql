-- The drive that a device of the kernel's block layer is part of, NULL where it is none.
create macro disk_drive(device) as
    nullif(regexp_extract(device, '^(?:nvme[0-9]+|[sv]d[a-z]+)'), '')
;

-- The driver of an NVMe drive has given it up, or has no answer of its controller.
create macro is_drive_gone(message) as
    regexp_matches(message, 'Removing|controller is down|not ready|isabling device')
;

-- The folder that all paths between two lie in, where these are the first and the last of them in
-- the order of their letters.
create macro common_folder(first_path, last_path) as
    nullif(
        regexp_extract(
            left(
                first_path,
                len(
                    list_filter(
                        range(1, length(first_path) + 1),
                        lambda n:starts_with(last_path, left(first_path, n))
                    )
                )
            ),
            '^(/.+)/',
            1
        ),
        ''
    )
;
