-- view: One row per open descriptor of a process by a listing of /proc/PID/fd: what it stands for
-- (path of a file, peer unknown), kind as in fd. The process is named above the list, or by the
-- name of the file.
with
    listed as (
        select
            d.file_id,
            d.line_no,
            d.fd,
            d.target,
            coalesce(
                last_value(d.pid ignore nulls) over (
                    partition by d.file_id
                    order by d.line_no
                    rows between unbounded preceding and current row
                ),
                try_cast(
                    regexp_extract(
                        f.path, '(?:^|[^0-9A-Za-z])([0-9]{2,10})(?:[^0-9]|$)', 1
                    ) as bigint
                )
            ) as pid
        from descriptor d
        join file f using (file_id)
    )
select
    file_id,
    line_no,
    pid,
    fd,
    case when target[1] = '/' then regexp_replace(target, ' [(]deleted[)]$', '') end as path,
    case
        when target[1] = '/'
        then 'file'
        when starts_with(target, 'socket:')
        then 'stream'
        when starts_with(target, 'pipe:')
        then 'pipe'
        else 'other'
    end as kind
from listed
where fd is not null and pid is not null
