-- table: one row per thread of a dump and its process: where it is, and what it waits for.
-- wants_lock: it is acquiring a lock, as a native frame shows, or a lock that is written
-- in Python.
select
    d.dump,
    m.process,
    m.rank,
    m.host,
    m.pid,
    m.role,
    m.snapshot,
    m.snapshots,
    p.file_id,
    p.line_no,
    p.tid,
    p.name,
    p.status,
    p.line_no = d.thread_line as is_main,
    p.class,
    p.awaits,
    p.decided,
    p.top,
    p.own,
    p.own_path,
    p.innermost,
    p.frames,
    p.class = 'helper'
    or (p.line_no <> d.thread_line and (p.own is null or p.class = 'idle-service')) as is_helper,
    -- It is in the acquisition of a lock: shown by a native frame, or by a lock that is
    -- written in Python.
    p.own is not null
    -- Where py-spy can't see a wait it calls the thread active: at a lock's own code it waits.
    and (
        coalesce(p.status, '') not like 'active%'
        or p.class = 'lock-wait'
        and p.top.f in ('acquire', '_acquire')
    )
    and coalesce(p.top.f, '') not in ('join', '_wait_for_tstate_lock')
    and p.class <> 'helper'
    and (
        p.holds_out_for_lock
        or (
            p.class = 'lock-wait'
            and p.decided.f
            in ('acquire', '_acquire', '__enter__', 'rlock_acquire', 'lock_PyThread_acquire_lock')
        )
    ) as wants_lock
from stack_position as p
join
    stack_dump as d
    on d.file_id = p.file_id
    and d.stream = p.stream
    and d.unit_head is not distinct from p.unit_head
    and d.nth = p.nth
    and d.failure is null
join stack_main as m on m.dump = d.dump
