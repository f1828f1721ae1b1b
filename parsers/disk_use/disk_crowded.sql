-- table: One row per file system or quota that is (nearly) full, by its fullest statement. File
-- systems that are full by nature (images, CD-ROMs, boot partitions) are left out, and those that
-- are memory.
select
    path,
    counts,
    any_value(filesystem) as filesystem,
    max(percent) as percent,
    bool_or(over is not null) as is_over_quota,
    max(coalesce(percent, 0)) >= 100 as is_full,
    list(distinct host) filter (host is not null) as hosts,
    min(time) as "at",
    list(line_at(file_id, line_no) order by percent desc, file_id, line_no)[1:5] as evidence
from disk_use
where
    (percent >= 90 or over is not null)
    and not regexp_matches(
        coalesce(filesystem, ''), '^(?:/dev/loop|/dev/sr|squashfs|cvmfs|efivarfs)'
    )
    and not regexp_matches(path, '^/(?:snap|cvmfs|boot|media|sys|run|proc|dev/shm)(?:/|$)')
group by path, counts
