-- view: one row per main thread that waits for another thread or an event when the trace ends,
-- which says nothing of why. kind: waits (in one call) | spins (nearly all its calls of the last
-- half minute, `calls` of which `tries` ask whether it may go on). waits_on: futex | poll.
-- is_shared: the futex may belong to other processes. awaited_tid: the thread that is to end.
-- lasted: seconds, at least.
with
    -- What an attached tracer found its thread in, until a person broke it off at the keyboard.
    broken_off as (
        select e.*, t.pid, t.rank as of_rank, t.host as of_host, k.kind as waits_on
        from strace_event e
        join strace_tail l on l.file_id = e.file_id and l.tid = e.tid and l.first_line = e.line_no
        join strace_thread t on t.trace = e.trace and t.tid = e.tid and t.main
        join syscall_kind k on k.syscall = e.syscall and k.kind in ('futex', 'poll')
        where
            (e.kind in ('cut', 'unfinished') or e.errno like 'ERESTART%')
            and exists (from strace_event a where a.file_id = e.file_id and a.kind = 'attached')
            and (
                select arg_min(n.signal_name = 'SIGINT', n.line_no)
                from strace_event n
                where
                    n.file_id = e.file_id
                    and n.line_no > e.line_no
                    and n.kind not in ('rest', 'resumed')
            )
    )
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
    strace_awaited_thread(w.args, coalesce(w.pid, w.tid)) as awaited_tid,
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
union all by name
select
    'waits' as kind,
    b.pid,
    b.of_rank as rank,
    b.of_host as host,
    b.syscall,
    b.waits_on,
    case when b.waits_on = 'futex' then not contains(b.args, '_PRIVATE') end as is_shared,
    case
        when b.waits_on = 'futex' then not regexp_matches(b.args, ', NULL(?:, |$)')
    end as has_deadline,
    strace_awaited_thread(b.args, coalesce(b.pid, b.tid)) as awaited_tid,
    [line_at(b.file_id, b.line_no)] as evidence
from broken_off b
