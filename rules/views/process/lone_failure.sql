-- table: One row per log, and host in it, where a launcher tells of one process that failed by
-- itself, and does not say of what: line_no is its word for it.
select
    file_id,
    host,
    any_value(rank) as rank,
    case when count(distinct pid) = 1 then any_value(pid) end as pid,
    min(line_no) as line_no
from "exit"
where
    signal = 6
    and rank is not null
    or source = 'torchelastic'
    and exitcode = 1
    and rank is not null
    or source = 'srun'
    and exitcode between 1 and 127
    and (rank is not null or host is not null)
group by file_id, host
having count(distinct(rank, task)) = 1
