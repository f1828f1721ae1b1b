-- view: one row per main thread that waits for another thread or an event when the trace ends,
-- which says nothing of why. kind: waits (in one call) | spins (nearly all its calls of the last
-- half minute, `calls` of which `tries` ask whether it may go on). waits_on: futex | poll.
-- is_shared: the futex may belong to other processes. lasted: seconds, at least.
select
    'waits' as kind,
    w.pid,
    w.rank,
    w.host,
    w.syscall,
    w.waits_on,
    w.time as began,
    w.waited_seconds as lasted,
    case when w.waits_on = 'futex' then not contains(w.args, '_PRIVATE') end as is_shared,
    case when w.waits_on = 'futex' then w.has_deadline end as has_deadline,
    null::bigint as calls,
    null::bigint as tries,
    [line_at(w.file_id, w.line_no)] as evidence
from waiting_for_syscall w
where
    w.waits_on in ('futex', 'poll')
    and w.main
    and (w.is_rank or w.processes = 1 or w.never_moved)
    and (
        w.waited_seconds >= 10
        or w.caught_in_it
        and w.thread_lines <= 2
        or w.never_moved
        and w.lines_since >= 20
    )
union all by name
select
    'spins' as kind,
    t.pid,
    t.rank,
    t.host,
    p.syscall,
    'poll' as waits_on,
    round(p.seconds, 1) as lasted,
    p.calls,
    p.asking as tries,
    [line_at(p.file_id, p.first_line), line_at(p.file_id, p.last_line)] as evidence
from strace_pace p
join strace_thread t on t.trace = p.trace and t.tid = p.tid
