-- table:
with
    p as (
        select
            *,
            coalesce(decided.f, '') as decided_function,
            -- Left the loop: it waits at the end of the program or in a barrier, and will not
            -- come to where the others are.
            list_transform(
                coalesce(own_path, []), lambda x:regexp_replace(x, ':[0-9]+\)$', ')')
            ) as own_calls
        from stack_rank
    ),
    job as (
        select
            count(*) as n,
            count(*) filter (peer) as waiting,
            count(*) filter (failed) as failing,
            count(*) filter (soft) as soft,
            count(*) filter (not failed and not peer and not soft) as hard,
            coalesce(bool_or(moved and not failed), false)
            or coalesce((select goes_on from stack_aftermath), false) as alive,
            bool_or(peer and class = 'p2p-wait') as pipeline,
            count(*) filter (rank is not null) as ranked,
            bool_or(rank_guessed) as guessed,
            count(*) filter (peer and class = 'gpu-sync' and not still) as loose,
            bool_and(role = 'service') as idle
        from p
    ),
    place as (
        select place, class, count(*) as n, any_value(own_path) as own_path
        from p
        where not failed and not soft
        group by place, class
    ),
    crowd as (
        -- Where most wait: among those who wait for peers, else (a file lock, say) where most
        -- stand.
        select
            place.place,
            place.class,
            place.n,
            p.role,
            p.own_calls,
            p.own_path,
            p.decided_function as function,
            p.top.f as top_function
        from place
        join p on p.place = place.place and p.class = place.class and not p.failed
        order by p.peer desc, place.n desc, p.rank
        limit 1
    ),
    mass as (
        select
            place.place,
            place.class,
            place.n,
            p.decided_function as function,
            p.top.f as top_function
        from place
        join p on p.place = place.place and p.class = place.class and not p.failed
        order by place.n desc, p.rank
        limit 1
    ),
    absent as (
        select r.rank, k.pid, k.host
        from (select unnest(range((select world_size from stack_world))) as rank) as r
        anti join (select rank from stack_main where rank is not null) as d on d.rank = r.rank
        left join
            (
                select rank, min(pid) as pid, min(host) as host from stack_known_rank group by rank
            ) as k
            on k.rank = r.rank
    ),
    other as (
        -- Also waiting for peers, but elsewhere.
        select
            p.*,
            c.function as crowd_function,
            p.decided_function in (
                'barrier',
                'monitored_barrier',
                'wait_for_everyone',
                'destroy_process_group',
                'sync_global_devices'
            )
            and p.decided_function <> c.function
            -- It parts from the crowd at a later line of the same function.
            and coalesce(
                (
                    select
                        try_cast(regexp_extract(p.own_path[i], ':([0-9]+)\)$', 1) as bigint)
                        > try_cast(regexp_extract(c.own_path[i], ':([0-9]+)\)$', 1) as bigint)
                    from
                        (
                            select min(i) as i
                            from
                                (
                                    select
                                        unnest(
                                            range(1, greatest(len(p.own_path), len(c.own_path)) + 1)
                                        ) as i
                                )
                            where p.own_path[i] is distinct from c.own_path[i]
                        )
                    where p.own_calls[i] = c.own_calls[i]
                ),
                false
            ) as left_loop,
            -- The root of a broadcast or a gather comes to it by a call of its own: through other
            -- functions, or the other branch of one `if`.
            p.decided_function = c.function
            and regexp_matches(c.function, '^(?:broadcast|scatter|gather|reduce|send|recv)(?:_|$)')
            and (
                p.own_calls is distinct from list_transform(
                    coalesce(c.own_path, []), lambda x:regexp_replace(x, ':[0-9]+\)$', ')')
                )
                or coalesce(
                    (
                        select
                            max(
                                abs(
                                    try_cast(
                                        regexp_extract(p.own_path[i], ':([0-9]+)\)$', 1) as bigint
                                    ) - try_cast(
                                        regexp_extract(c.own_path[i], ':([0-9]+)\)$', 1) as bigint
                                    )
                                )
                            )
                        from (select unnest(range(1, len(p.own_path) + 1)) as i)
                    ),
                    0
                )
                <= 10
            ) as may_be_root
        -- The rank that serves the store waits for its clients; idle workers of an engine may be
        -- idle at different places.
        from p, crowd as c
        where
            p.peer
            and p.place <> c.place
            and not (p.class = 'store-wait' and c.class in ('store-wait', 'init'))
            and not (p.role = 'service' and c.role = 'service')
    ),
    judged as (
        select
            case
                when job.alive or job.idle
                then null
                -- A process that is stopped or does not answer, while at least one other waits
                -- for it.
                when failing > 0 and waiting >= 1 and failing <= waiting and hard <= waiting
                then 'failed'
                when soft > 0
                then null
                when
                    hard > 0
                    and waiting > 0
                    and (hard < waiting or (hard = 1 and waiting = 1))
                    and (2 * (select n from crowd) >= waiting or pipeline or loose > 0)
                then 'hard'
                when
                    hard = 0
                    and failing = 0
                    and waiting = n
                    and not pipeline
                    and loose = 0
                    and (select count(*) from other) > 0
                    and ((select n from crowd) > (select count(*) from other) or n = 2)
                    and n >= 2
                    and not (select count(*) = 1 and bool_and(may_be_root) from other)
                then 'other'
                -- Nobody waits in a collective: only of processes that are known to be ranks of
                -- one job is it said that they should stand alike.
                when
                    hard > 0
                    and (not guessed or (select class from mass) = 'file-lock')
                    and (select n from mass) >= 2
                    and 3 * (select n from mass) >= 2 * n
                    and (select n from mass) < n
                    and (select class from mass)
                    in ('file-lock', 'lock-wait', 'blocked', 'network-read', 'sleep', 'data-load')
                then 'mass'
                when
                    hard = 0
                    and failing = 0
                    and waiting = n
                    and n >= 2
                    and n = ranked
                    and not guessed
                    and (select count(*) from absent) between 1 and greatest(divide((n - 1), 2), 1)
                    -- A dumped process that is taken for a helper may be the one.
                    and not exists (
                        from stack_main where role in ('helper', 'pool worker', 'driver', 'other')
                    )
                then 'absent'
            end as found,
            job.*
        from job
    ),
    suspect as (
        select
            p.process,
            p.rank,
            p.pid,
            p.host,
            p.file_id,
            p.thread_line,
            p.failure_file,
            p.failure_line,
            p.failure_head,
            p.failure,
            p.class,
            p.status,
            p.awaits,
            p.own,
            p.top,
            p.innermost,
            p.decided,
            p.step,
            p.still,
            p.watched,
            p.occasion,
            p.place,
            false as left_loop
        from p, judged as j
        where
            (j.found = 'failed' and (p.failed or (j.soft = 0 and not p.peer)))
            or (j.found = 'hard' and not p.peer)
            or (j.found = 'mass' and p.place || p.class <> (select place || class from mass))
        union all by name
        select
            process,
            rank,
            pid,
            host,
            file_id,
            thread_line,
            failure,
            class,
            status,
            awaits,
            own,
            top,
            innermost,
            decided,
            step,
            still,
            watched,
            occasion,
            place,
            left_loop
        from other, judged as j
        where j.found = 'other'
        union all by name
        select 'rank ' || a.rank as process, a.rank, a.pid, a.host, 'absent' as failure
        from absent as a, judged as j
        where j.found = 'absent'
    ),
    rest as (
        select
            p.*,
            case
                when p.decided_function = ''
                then coalesce(p.top.f, p.innermost)
                else p.decided_function
            end as function
        from p, judged as j
        where
            j.found is not null
            and not p.failed
            and not exists (from suspect as s where s.process = p.process)
    ),
    told as (
        select
            list(rank order by rank) filter (rank is not null) as ranks,
            list(pid order by rank, pid) filter (pid is not null) as pids,
            list(distinct host) filter (host is not null) as hosts,
            count(*) as n,
            bool_and(left_loop) as left_loop,
            bool_and(coalesce(still, false)) as still,
            coalesce(bool_or(watched), false) as watched,
            list_sort(list(distinct class) filter (failure is null)) as classes,
            list_sort(list(distinct failure) filter (failure is not null)) as failures,
            list(pid order by rank, pid) filter (
                failure is not null and failure <> 'absent' and pid is not null
            ) as failed_pids,
            ranges(
                list(rank order by rank) filter (failure is not null and rank is not null)
            ) as failed_ranks,
            ranges(
                list(rank order by rank) filter (failure is null and rank is not null)
            ) as standing_ranks,
            bool_or(failure is not null) and bool_or(failure is null) as mixed,
            arg_min(
                {
                    'status':status,
                    'awaits':awaits,
                    'own':own,
                    'top':top,
                    'innermost':innermost,
                    'decided':decided,
                    'class':class,
                    'step':step,
                    'occasion':occasion
                },
                coalesce(rank, pid, 0)
            ) filter (failure is null) as first,
            list(distinct file_id) as files,
            list(
                {
                    'file_id':coalesce(failure_file, file_id),
                    'line_no':coalesce(failure_head, thread_line)
                }
                order by rank, pid
            ) filter (coalesce(failure_file, file_id) is not null) as heads,
            list(
                {
                    'file_id':coalesce(failure_file, file_id),
                    'line_no':coalesce(failure_line, own.line, top.line)
                }
                order by rank, pid
            ) filter (coalesce(failure_line, own.line, top.line) is not null) as lines
        from suspect
    ),
    waiters as (
        select
            list(rank order by rank) filter (rank is not null) as ranks,
            count(*) as n,
            mode(function) as function,
            mode(top.f) as top_function,
            mode(own.f || ' (' || own.p || ')') as frame,
            bool_and(still) as still,
            max(step) as step,
            mode(class) as class,
            mode(awaits) as awaits,
            bool_or(occasion like 'Timeout%') as timed_out,
            list(
                {'file_id':file_id, 'line_no':coalesce(decided.line, top.line, thread_line)}
                order by rank, pid
            ) as lines
        from rest
        where not soft
    )
select
    j.found,
    case
        when j.found = 'mass' or (j.found = 'other' and not t.left_loop)
        then 'divergence'
        when t.failures is null and t.classes = ['data-wait']
        then 'dataloader'
        when t.failures is null and t.classes = ['checkpoint-io']
        then 'checkpoint'
        else 'missing'
    end as kind,
    case
        when j.found = 'other' and j.n = 2
        then list_sort(list_concat(t.ranks, w.ranks))
        else t.ranks
    end as ranks,
    t.pids,
    t.hosts,
    t.n as suspects,
    t.left_loop,
    t.failures,
    t.failed_pids,
    t.mixed,
    t.failed_ranks,
    t.standing_ranks,
    t.classes,
    t.first as suspect,
    t.heads,
    t.lines,
    t.still and w.still as still,
    t.watched,
    w.timed_out,
    -- Rank 0 talks to a server for all of them, or the others wait for the GPU, which may be at
    -- work: one dump does not tell for how long.
    (
        coalesce(t.ranks = [0] and t.classes = ['network-read'], false)
        or w.class = 'gpu-sync'
        and not coalesce(w.timed_out, false)
    )
    and t.failures is null
    and not (t.still and w.still)
    and not t.watched as passing,
    w.n as waiting,
    w.ranks as waiting_ranks,
    w.function as waiting_function,
    w.top_function as waiting_top_function,
    w.frame as waiting_frame,
    w.class as waiting_class,
    w.awaits,
    w.lines as waiting_lines,
    w.step as waiting_step,
    j.n as processes,
    j.guessed,
    (select world_size from stack_world) as world_size,
    case
        when t.first.class in ('data-wait', 'idle-service')
        then t.first.decided.f
        else coalesce(t.first.own.f, t.first.top.f, t.first.innermost)
    end as function,
    coalesce(
        case when t.first.class = 'idle-service' then t.first.decided.f || ', its idle loop,' end,
        t.first.own.f || ' (' || t.first.own.p || coalesce(':' || t.first.own.n, '') || ')',
        case when t.first.class in ('data-wait', 'wait') then t.first.decided.f end,
        t.first.top.f || ' (' || t.first.top.p || ')',
        t.first.innermost
    ) as frame
from judged as j, told as t, waiters as w
where j.found is not null and t.n > 0 and w.n > 0
