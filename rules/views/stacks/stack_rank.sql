-- table: one row per process that is, or may be, a rank: its last dump, and what its earlier
-- dumps say of movement. failed: could not be dumped, or is stopped; peer: waits for its peers;
-- still: nothing moved; soft: at ordinary work, which proves nothing.
with
    usable as (
        select *, lag(own_key) over w as before_own, lag(full_key) over w as before_full
        from
            (
                from stack_main
                qualify path is not null or count(path) over (partition by process) = 0
            )
        join stack_again using (dump)
        where failure is null and source_kind <> 'backtrace'
        window w as (partition by process order by snapshot)
    ),
    compared as (
        select
            * exclude (seen_before),
            case
                when
                    own_key <> before_own
                    or (class in ('compute', 'compile') and full_key <> before_full)
                then true
                when seen_before
                then false
            end as moved
        from usable
    ),
    last_dump as (
        select *
        from compared
        qualify row_number() over (partition by process order by snapshot desc) = 1
    ),
    failed as (
        select *
        from stack_main
        where failure in ('stopped', 'no_answer', 'no_stack')
        qualify row_number() over (partition by process order by snapshot desc) = 1
    ),
    -- Without pausing it, py-spy dumps a stopped process too: the table of processes tells.
    stopped as (
        select
            pid, any_value(host) as host, any_value({'file_id':file_id, 'line_no':line_no}) as place
        from kernel_wait
        where waits_on = 'stopped'
        group by pid
        having count(distinct host) <= 1
    ),
    every as (
        select
            l.* exclude (failure, failure_line, before_own, before_full),
            case when z.pid is not null then 'stopped' else f.failure end as failure,
            coalesce(z.place.line_no, f.failure_line) as failure_line,
            coalesce(z.place.file_id, f.file_id) as failure_file,
            coalesce(z.place.line_no, f.line_no) as failure_head
        from last_dump as l
        -- a head without a stack is also what is left of a file that was cut: it says nothing of
        -- a process that waited for its peers before, or was dumped again
        left join
            failed as f
            on f.process = l.process
            and f.snapshot > l.snapshot
            and not (f.failure = 'no_stack' and (l.waits_for_peers or f.snapshot < f.snapshots))
        left join stopped as z on z.pid = l.pid and coalesce(z.host = l.host, true)
        union all by name
        select *, file_id as failure_file, line_no as failure_head
        from failed
        anti join last_dump using (process)
    ),
    pid_by_rank as (
        select rank, min(pid) as pid, min(host) as host
        from stack_known_rank
        group by rank
        having count(distinct pid) = 1
    )
select
    e.* replace (coalesce(e.pid, k.pid) as pid, coalesce(e.host, k.host) as host),
    coalesce(e.decided.f, '') as decided_function,
    calls_without_lines(e.own_path) as own_calls,
    e.failure is not null as failed,
    -- A worker of a serving engine that is in its idle loop waits for the others' next step.
    e.failure is null and (e.waits_for_peers or e.role = 'service') as peer,
    -- A watchdog dumps what has not moved for minutes.
    e.failure is null
    and (e.moved is not distinct from false or e.watched and e.moved is null) as still,
    -- Ordinary work, unless something proves that it stood still: a sample does not tell how long.
    e.failure is null
    and not e.waits_for_peers
    and e.role = 'rank'
    and coalesce(e.moved, not e.watched)
    -- Busy as it looks, strace shows that it only asks whether it may go on.
    and (e.pid is null or e.pid not in (select pid from strace_spin))
    -- Rank 0 alone may have more to save, a command to run or a pool to wait for than the others;
    -- one other rank that sleeps in it holds them up.
    and not (
        e.class in ('checkpoint-io', 'child-wait', 'wait')
        and e.rank > 0
        and coalesce(e.status, '') not like 'active%'
        and count_if(e.class in ('checkpoint-io', 'child-wait', 'wait')) over () = 1
    )
    and (
        e.class in (
            'compute',
            'compile',
            'checkpoint-io',
            'idle-service',
            'helper',
            'none',
            'unknown',
            'wait',
            'child-wait'
        )
        or coalesce(e.status like 'active%', false)
    ) as soft
from every as e
left join pid_by_rank as k on k.rank = e.rank
where
    (
        e.role = 'rank'
        or e.role = 'service'
        and (e.moved is not distinct from false or e.watched)
        and e.rank is not null
    )
    and (
        e.rank is not null or not exists (from stack_main where role = 'rank' and rank is not null)
    )
