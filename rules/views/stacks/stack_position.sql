-- table: one row per thread of a dump: where it is (class), and what it waits for (awaits). top:
-- the innermost Python frame; own: that of the user's own code; path, own_path: all of them,
-- outermost first; decided: the frame that tells. holds_out_for_lock: it is acquiring a lock, by
-- a native frame. in_backward: it is in the backward pass, which other threads may run.
with
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
        from stack_call
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
    -- The user's own code is innermost and does not run: what is around it tells only where the
    -- computation began that it keeps from going on.
    coalesce(
        t.said.c = 'compute'
        and u.status = 'idle'
        and t.own.line = t.top.line
        and t.own.f = t.innermost,
        false
    ) as is_held_up,
    case when not is_held_up then t.said end as decided,
    case
        when is_held_up
        then 'blocked'
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
                'open|read|recv|flock|fcntl|connect|accept|mkdir|sync|write|futex|stat|poll|select'
                || '|epoll|nanosleep|rename|unlink'
            )
        then 'unknown'
        else 'blocked'
    end as class,
    case
        when
            not is_held_up
            and not (
                t.stack is null
                and t.near.c is not distinct from 'backward'
                and u.status like 'active%'
            )
        then t.said.w
    end as awaits
from stack_unit as u
left join decided as t on t.file_id = u.file_id and t.thread_line = u.line_no
