-- table: One row per line with which another boot of a machine begins in a file: the kernel's
-- first line, the journal's mark, or an uptime that falls. The parts of a crash dump (pstore) are
-- one boot, in whatever order they are printed.
with
    clocks as (
        select file_id, host, line_no, time, uptime_seconds
        from xid_line
        where uptime_seconds is not null
        union all
        select file_id, host, line_no, time, uptime_seconds
        from nvrm_event
        where uptime_seconds is not null
        union all
        select file_id, host, line_no, time, uptime_seconds
        from sxid_line
        where uptime_seconds is not null
        union all
        select file_id, host, line_no, time, uptime_seconds
        from kernel_event
        where uptime_seconds is not null
    )
select file_id, host, line_no, time
from kernel_boot
where kind <> 'pstore'
union
select file_id, host, line_no, time
from
    (
        select
            *,
            uptime_seconds
            < lag(uptime_seconds) over (partition by file_id, host order by line_no) - 10 as fell
        from clocks
    )
where fell and file_id not in (select file_id from kernel_boot where kind = 'pstore')
