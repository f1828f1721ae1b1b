-- table: One row per communicator over the whole job whose ranks did not all complete the same
-- collectives, by NCCL's inspector plugin. It writes what was completed: in a job that hangs all
-- ranks should be at one number, and a few that are well behind have not finished what the others
-- did. The last records may be lost, so a step or two says nothing.
with
    member as (
        select
            *, max(last_sn) over one as top, count(*) over one as seen, last_sn < top as is_behind
        from nccl_inspector_last
        where nranks = (select max(nranks) from nccl_inspector_last)
        window one as (partition by comm_id)
    )
select
    'inspector' as source,
    'fewer_completed' as finding,
    (list(comm_rank order by comm_rank) filter (is_behind))::bigint[] as ranks,
    list(distinct host order by host) filter (is_behind) as hosts,
    list(distinct pid order by pid) filter (is_behind) as pids,
    comm_id as grp,
    min(last_sn) + 1 as seq,
    any_value(last_op) filter (is_behind) as op,
    'possible' as grade,
    min(last_sn) as reached,
    max(last_sn) as furthest,
    list(line_at(file_id, line_no) order by last_sn, comm_rank)[:10] as evidence
from member
where seen = nranks and exists (from trouble_sign where sign in ('timeout', 'heartbeat', 'abort'))
group by comm_id
having
    count(*) filter (is_behind) between 1 and greatest(1, divide(count(*), 8))
    and max(last_sn) filter (is_behind) <= max(last_sn) - 3
    and count(*) >= 4
