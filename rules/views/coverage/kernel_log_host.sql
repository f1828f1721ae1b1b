-- table: one row per host whose kernel log is here; host is NULL where nobody says whose it is.
with
    line as (
        select file_id, host
        from kernel_event
        union all
        select file_id, host
        from nvrm_event
        union all
        select file_id, host
        from xid_line
        union all
        select file_id, host
        from oom_report
    )
select short_host(coalesce(l.host, f.host)) as host
from line l
join file f using (file_id)
union
select short_host(host)
from file
where regexp_matches(path, '(?i)dmesg|kern|kmsg|journal|syslog|messages')
