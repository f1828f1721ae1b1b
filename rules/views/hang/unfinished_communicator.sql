-- table: One row per NCCL communicator whose init started on ranks that never completed it. absent
-- = ranks that no log shows; knows_peers = the bootstrap was over and a topology found; failed = an
-- error of CUDA ended the init of all that started it. Where work of the default group was
-- completed, all ranks had come through the init of the one communicator of its size: what is not
-- there was cut out of a log.
with
    started as (
        select
            comm_key,
            list(coalesce(start_line, line_at(file_id, line_no)) order by comm_rank) as evidence,
            min(started_at) as "at",
            list(distinct host order by host) as hosts,
            bool_and(
                (host, pid) in (
                    select (coalesce(host, ''), coalesce(pid, 0))
                    from nccl_result
                    where nccl_result = 1 and regexp_matches(source, '(^|/)init\.cc$')
                )
            ) as failed
        from nccl_rank
        where starts > completes
        group by comm_key
    ),
    -- of the job's size, and the only one
    widest as (
        select any_value(comm_key) as comm_key
        from communicator
        where nranks = (select max(nranks) from communicator)
        having count(*) = 1
    )
select
    s.*,
    c.nranks,
    c.incomplete,
    c.completed,
    list_filter(ranks_below(c.nranks), lambda x: not list_contains(c.ranks, x)) as absent,
    exists (
        from nccl_topology t
        join nccl_rank r on r.host = t.host and r.pid = t.pid and r.comm = t.comm
        where r.comm_key = c.comm_key
    ) as knows_peers
from communicator c
join started s using (comm_key)
where
    not c.ambiguous
    and len(c.incomplete) > 0
    and not (
        c.comm_key in (select comm_key from widest)
        and exists (from progress_c10d where grp_key = 'default_pg' and completed > 0)
    )
