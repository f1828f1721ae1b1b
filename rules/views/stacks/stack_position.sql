-- table: --- a class per thread
-- ----------------------------------------------------------------------------------------------
with
    bare as (
        select b.file_id, b.at, coalesce(t.line_no, b.at) as thread_line
        from
            (
                select distinct file_id, coalesce(bare_line, line_no) as at
                from stack_frame
                where thread_line is null
            ) as b
        left join stack_thread as t on t.file_id = b.file_id and t.line_no = b.at - 1
    ),
    frame as (
        select file_id, line_no, thread_line, depth, function, source, line, arguments
        from stack_frame
        where thread_line is not null
        union all
        select
            f.file_id,
            f.line_no,
            b.thread_line,
            f.depth + case when f.bare_line is null then 0 else 1 end,
            function,
            source,
            line,
            arguments
        from stack_frame as f
        join bare as b on b.file_id = f.file_id and b.at = coalesce(f.bare_line, f.line_no)
        where f.thread_line is null
    ),
    placed as (
        select
            f.file_id,
            f.thread_line,
            f.line_no,
            case
                when t.source_kind in ('pystack', 'python stack', 'austin')
                then - f.depth
                else f.depth
            end as d,
            s.name,
            s.native,
            s.own_code,
            s.skipped,
            s.shown_path,
            s.by_stack,
            s.by_near,
            s.by_weak,
            s.by_native,
            s.by_top,
            coalesce(s.py_line, f.line) as line,
            case
                when s.own_code and coalesce(s.py_line, f.line) is not null
                then s.name || ' (' || s.shown_path || ':' || coalesce(s.py_line, f.line) || ')'
                else s.name || ' (' || s.shown_path || ')'
            end as label
        from frame as f
        join
            stack_symbol as s
            on s.function is not distinct from f.function
            and s.source is not distinct from f.source
            and s.arguments
            is not distinct from case when contains(f.arguments, ', for file ') then f.arguments end
        left join stack_thread as t on t.file_id = f.file_id and t.line_no = f.thread_line
    ),
    counted as (
        -- busy: calls further in that do more than wait.
        select
            *,
            count_if(not skipped and not native) over (w rows unbounded preceding) as nth,
            -- (the innermost has no rows before it, and a count of none is NULL)
            coalesce(
                count_if(
                    not skipped
                    and not native
                    and by_top is null
                    and by_weak.class is distinct from 'wait'
                ) over (w rows between unbounded preceding and 1 preceding),
                0
            ) as busy
        from placed
        window w as (partition by file_id, thread_line order by d)
    ),
    thread as (
        select
            file_id,
            thread_line,
            arg_min({'f':name, 'c':by_stack.class, 'w':by_stack.awaits, 'line':line_no}, d) filter (
                by_stack is not null
            ) as stack,
            arg_min(
                {
                    'f':name,
                    'c':by_near.class,
                    'w':by_near.awaits,
                    'line':line_no,
                    'd':d,
                    'busy':busy
                },
                d
            ) filter (by_near is not null and nth <= 10) as near,
            arg_min(
                {'f':name, 'c':by_top.class, 'w':by_top.awaits, 'line':line_no, 'd':d}, d
            ) filter (by_top is not null and busy = 0) as idle,
            arg_min(
                {'f':name, 'c':by_weak.class, 'w':by_weak.awaits, 'line':line_no, 'd':d}, d
            ) filter (by_weak is not null and nth <= 10) as weak,
            arg_min(
                {'f':name, 'c':by_native.class, 'w':by_native.awaits, 'line':line_no}, d
            ) filter (by_native is not null) as native,
            arg_min({'f':name, 'p':shown_path, 'line':line_no}, d) filter (
                not native and not skipped
            ) as top,
            arg_min({'f':name, 'p':shown_path, 'line':line_no, 'n':line}, d) filter (
                own_code and not skipped
            ) as own,
            arg_min(name, d) as innermost,
            bool_or(
                name = 'get' and shown_path = 'multiprocessing/queues.py' and nth <= 8
            ) as in_queue_get,
            list(label order by d desc) filter (not native and not skipped) as path,
            list(label order by d desc) filter (own_code and not skipped) as own_path,
            count(*) as frames
        from counted
        group by file_id, thread_line
    ),
    decided as (
        select
            *,
            case
                when stack is not null
                then {'f':stack.f, 'c':stack.c, 'w':stack.w, 'line':stack.line}
                when idle is not null and (near is null or idle.d < near.d)
                then {'f':idle.f, 'c':idle.c, 'w':idle.w, 'line':idle.line}
                -- The code that loads data, and nothing further in but a wait in a queue: others
                -- load it.
                when near.c = 'data-load' and near.busy = 0 and weak.c = 'wait'
                then
                    {
                        'f':near.f,
                        'c':'data-wait',
                        'w':'a worker of the data loader',
                        'line':near.line
                    }
                -- A semaphore: it waits until another thread gives a token back, as a condition
                -- does.
                when
                    near.c = 'lock-wait'
                    and near.f = 'acquire'
                    and near.busy = 0
                    and weak.c = 'wait'
                    and weak.d < near.d
                then {'f':weak.f, 'c':weak.c, 'w':weak.w, 'line':weak.line}
                when near is not null
                then {'f':near.f, 'c':near.c, 'w':near.w, 'line':near.line}
                when weak is not null
                then {'f':weak.f, 'c':weak.c, 'w':weak.w, 'line':weak.line}
                else native
            end as said
        from thread
    )
select
    u.file_id,
    u.line_no,
    u.stream,
    u.unit_head,
    u.nth,
    u.source_kind,
    u.tid,
    u.number,
    u.status,
    u.name,
    u.host,
    u.rank,
    u.local_rank,
    u.task,
    u.time,
    coalesce(t.frames, 0) as frames,
    t.innermost,
    t.top,
    t.own,
    t.path,
    t.own_path,
    t.in_queue_get,
    t.native.w is not distinct from 'a lock'
    and coalesce(t.weak.c, '') <> 'wait'
    and t.stack is null
    and t.idle is null
    and coalesce(t.near.c, 'lock-wait') = 'lock-wait' as holds_out_for_lock,
    -- A worker process wants a lock of its own (not the queue's, which workers share).
    coalesce(
        t.stack.c in ('loader-worker', 'pool-worker')
        and not t.in_queue_get
        and coalesce(u.status, '') not like 'active%'
        and coalesce(t.weak.c, '') <> 'wait'
        and coalesce(t.near.w, 'a lock') in ('a lock', 'the import lock')
        and (
            t.native.w = 'a lock'
            or t.near.c = 'lock-wait'
            and t.near.busy = 0
            and t.near.f in ('acquire', '_acquire', '_lock_unlock_module')
        ),
        false
    ) as worker_wants_lock,
    t.near.c is not distinct from 'backward' as in_backward,
    t.said as decided,
    case
        when t.stack is null and t.near.c = 'backward'
        then case when u.status like 'active%' then 'compute' else 'collective-wait' end
        when t.said.c is not null
        then t.said.c
        when t.frames is null
        then 'none'
        when u.status like 'active%' or u.status like '%Has the GIL%'
        then 'compute'
        -- Without Python frames only a system call on top tells a wait from work.
        when
            t.top is null
            and not regexp_matches(
                t.innermost,
                'open|read|recv|flock|fcntl|connect|accept|mkdir|sync|write|futex|stat|poll|select|epoll|nanosleep|rename|unlink'
            )
        then 'unknown'
        else 'blocked'
    end as class,
    case
        when
            not (
                t.stack is null
                and t.near.c is not distinct from 'backward'
                and u.status like 'active%'
            )
        then t.said.w
    end as awaits
from stack_unit as u
left join decided as t on t.file_id = u.file_id and t.thread_line = u.line_no
