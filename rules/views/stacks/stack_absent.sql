-- table: one row per rank of the job of which there is no dump, with pid and host where
-- logs tell.
with
    world as (select unnest(ranks_below((select world_size from stack_world))) as rank),
    known as (select rank, min(pid) as pid, min(host) as host from stack_known_rank group by rank),
    -- It ends within a line of a dump: what is missing may have been in it.
    cut_file as (
        select f.file_id
        from file as f
        join stack_frame as s using (file_id)
        where f.unended
        group by f.file_id, f.lines
        having f.lines - max(s.line_no) between 1 and 4
    ),
    -- All are in one file, one behind the other: what is before its first may be cut off.
    first_of_all as (
        select arg_min(rank, thread_line) as rank
        from stack_main
        where rank is not null
        having count(distinct file_id) = 1 and count(distinct rank) > 1
    )
select w.rank, k.pid, k.host
from world as w
left join known as k using (rank)
where
    w.rank not in (select rank from stack_main where rank is not null)
    and not exists (from cut_file)
    and not exists (from first_of_all f where w.rank < f.rank)
    -- A dump of which nobody knows the rank may be its.
    and (
        k.pid is not null
        or not exists (from stack_main where rank is null and role = 'rank' and failure is null)
    )
