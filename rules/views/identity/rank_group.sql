-- table: One row per rank and parallel group that it is known to be in: torch's process groups by
-- name and description (1, tp), NCCL's communicators by their key (communicator); size = how many
-- ranks are in it, where a source says so.
with
    membership as (
        select
            of_rank as rank,
            m.grp as "group",
            m.grp_desc as description,
            len(g.members) as size,
            'flight recorder' as learnt_from,
            4 as weight,
            file_id,
            1 as line_no
        from flight_member m
        left join flight_members g using (grp_key)
        union all by name
        select
            rank,
            grp as "group",
            grp_desc as description,
            'process group status' as learnt_from,
            3 as weight,
            file_id,
            line_no
        from c10d_status_line
        union all by name
        select
            rank,
            grp as "group",
            grp_desc as description,
            'collective timeout' as learnt_from,
            2 as weight,
            file_id,
            line_no
        from c10d_timeout_line
        union all by name
        select
            p.rank,
            comm_key as "group",
            nranks as size,
            'nccl init' as learnt_from,
            1 as weight,
            r.file_id,
            r.line_no
        from nccl_rank r
        join nccl_process p using (host, pid)
        where not r.ambiguous
    )
select
    rank,
    "group",
    max(nullif(description, '')) as description,
    max(size) as size,
    arg_max(learnt_from, weight) as learnt_from,
    arg_max(file_id, (weight, - file_id, - line_no)) as file_id,
    arg_max(line_no, (weight, - file_id, - line_no)) as line_no
from membership
where rank is not null and "group" <> ''
group by rank, "group"
