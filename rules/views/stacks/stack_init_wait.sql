-- table: one row if all processes that wait for their peers wait in init, and some ranks did not
-- come there. ranks: those that did not come; waiting_ranks: those that wait; stage: rendezvous
-- (all wait for the store) | process_group. why: apart (they are elsewhere, or could not be
-- dumped) | undumped (there is no dump of them) | died | gone (a tool found no process to dump).
-- server_missing: rank 0, which serves the store, is one of them. only_undumped: nothing but the
-- absent dump speaks for it (no refused connection to the store of rank 0).
with
    peer as (
        select
            *,
            class = 'store-wait' as at_store,
            class in ('init', 'store-wait')
            and len(
                list_filter(
                    path,
                    lambda x:regexp_matches(
                        x,
                        '^(init_process_group|init_device_mesh|_create_c10d_store) '
                        || '|rendezvous|jax/_src/distributed\.py'
                    )
                )
            )
            > 0 as in_init
        from stack_rank
        where peer
    ),
    waiting as (
        select
            list(rank order by rank) filter (rank is not null) as ranks,
            list(pid order by rank, pid) filter (pid is not null) as pids,
            count(*) as n,
            bool_and(at_store) as at_store,
            mode(decided.f) as function,
            bool_or(
                list_filter(path, lambda x:starts_with(x, 'init_process_group ')) <> []
            ) as c10d,
            list(line_at(file_id, coalesce(decided.line, thread_line)) order by rank, pid) as lines
        from peer
        having count(*) >= 2 and bool_and(in_init)
    ),
    apart as (
        select
            case when found = 'absent' then 'undumped' else 'apart' end as why,
            ranks,
            pids,
            hosts,
            frame,
            function,
            still,
            coalesce(lines, []) as lines
        from stack_verdict
        where kind = 'missing' and found in ('hard', 'failed', 'absent')
    ),
    died as (
        select
            'died' as why,
            list_sort(list(distinct a.rank)) as ranks,
            list_distinct(
                list(coalesce(a.pid, d.pid)) filter (coalesce(a.pid, d.pid) is not null)
            ) as pids,
            list_distinct(
                list(coalesce(a.host, d.host)) filter (coalesce(a.host, d.host) is not null)
            ) as hosts,
            null::varchar as frame,
            null::varchar as function,
            false as still,
            list(distinct line_at(d.file_id, d.line_no)) as lines
        from stack_absent as a
        join death as d on coalesce(d.rank, d.task) = a.rank
        where
            not exists (from stack_verdict)
            and a.pid not in (select pid from stack_rank where pid is not null)
        having count(*) > 0
    ),
    missing as (
        from apart
        union all by name
        from died
        union all by name
        select 'gone' as why, ranks, pids, hosts, false as still, evidence as lines
        from missing_rank_gone
        where not exists (from apart) and not exists (from died)
    )
select
    m.why,
    m.ranks,
    m.pids,
    m.hosts,
    m.frame,
    m.function,
    m.still,
    case when w.at_store then 'rendezvous' else 'process_group' end as stage,
    case
        when w.c10d and not w.at_store then 'init_process_group' else w.function
    end as waiting_function,
    w.ranks as waiting_ranks,
    w.pids as waiting_pids,
    w.n as waiting,
    coalesce(list_contains(m.ranks, 0), false) as server_missing,
    m.why = 'undumped'
    and not (server_missing and w.at_store and exists (from connect_failure)) as only_undumped,
    list_concat(m.lines, w.lines[:4]) as evidence
from missing as m
cross join waiting as w
cross join stack_job as j
where not j.is_alive and j.soft = 0 and w.n >= greatest(2, len(m.ranks))
