-- table: One row per log, and host in it, where a launcher tells of one process that failed by
-- itself, and does not say of what: line_no is its word for it.
with
    failed as (
        select file_id, line_no, source, host, rank, task, pid
        from "exit"
        where
            source = 'torchelastic'
            and exitcode = 1
            or source = 'srun'
            and exitcode between 1 and 127
            and (rank is not null or host is not null)
    )
select
    file_id,
    host,
    any_value(rank) as rank,
    case when count(distinct pid) = 1 then any_value(pid) end as pid,
    min(line_no) as line_no
from failed f
where
    (rank is not null or source = 'srun')
    -- of another process only the number may be left
    and not exists (
        from failed o
        where
            o.file_id = f.file_id
            and o.pid <> f.pid
            and coalesce(o.host, f.host) is not distinct from coalesce(f.host, o.host)
    )
group by file_id, host
having count(distinct(rank, task)) = 1
