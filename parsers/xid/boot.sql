-- table: One row per boot whose beginning is in a log. What is in the same log before `line_no` is
-- of an older boot; `time` is the first that is printed in the new one.
select b.file_id, b.line_no, short_host(b.host) as host, coalesce(b.time, min(k.time)) as time
from boot_mark b
left join
    (
        select file_id, host, line_no, time
        from kernel_event
        union all
        select file_id, host, line_no, time
        from xid_line
        union all
        select file_id, host, line_no, time
        from clock_line
    ) k
    on k.file_id = b.file_id
    and k.line_no > b.line_no
    and (k.host = b.host or b.host is null)
group by b.file_id, b.line_no, b.host, b.time
