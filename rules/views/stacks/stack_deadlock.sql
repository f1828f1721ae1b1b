-- table: one row per process whose threads wait for each other. kind: lock (two threads or more
-- want one and none that could release it does anything else, or a single thread wants one that
-- nobody is left to release) | GIL (a sleeping thread holds it) | signal (the handler of a signal
-- wants what the code holds that it interrupts). threads: name, place and function of each that is
-- involved, the holder of the GIL first. Of native stacks three shapes count: a thread wants the
-- GIL, another one a mutex, a semaphore or a lock of readers and writers, none of them Python's,
-- and no other runs Python, so that the second holds the GIL; all threads want a mutex, but for
-- those that wait for their end; and a process with a single thread that wants a lock which every
-- fork inherits as it was (exit handlers, OpenMP, the loader).
with
    thread as (
        select
            process,
            rank,
            host,
            pid,
            snapshot,
            is_main,
            is_helper,
            class,
            wants_lock,
            line_no,
            coalesce(status = 'idle+gil', false) as holds_gil,
            -- another process can release it
            coalesce(
                contains(frame_without_line(top), 'multiprocessing/synchronize'), false
            ) as is_shared,
            {
                'tid':tid,
                'name':coalesce(name, tid),
                'place':coalesce(frame_with_line(own), frame_without_line(top)),
                'function':coalesce(own.f, top.f)
            } as shown,
            line_at(file_id, coalesce(own.line, top.line, line_no)) as line
        from stack_thread_place
        where role = 'rank'
    ),
    -- A native dump may have been followed by a plain one of the same state: the last that shows
    -- locks counts.
    telling as (
        select
            *,
            max(snapshot) filter (wants_lock) over (partition by process) as lock_snapshot,
            max(snapshot) filter (holds_gil and not is_main) over (
                partition by process
            ) as gil_snapshot
        from thread
    ),
    locked as (
        select
            process,
            any_value(rank) as rank,
            any_value(host) as host,
            any_value(pid) as pid,
            'lock' as kind,
            list(shown order by is_main desc, line_no) filter (wants_lock) as threads,
            list(line order by is_main desc, line_no) filter (wants_lock) as evidence
        from telling
        where snapshot = lock_snapshot and not (is_helper and not wants_lock)
        group by process
        having
            -- nobody works: who wants no lock is the main thread, waiting for the others
            bool_and(
                wants_lock or is_main and class in ('wait', 'child-wait', 'lock-wait', 'exiting')
            )
            and (count_if(wants_lock) >= 2 or count(*) = 1 and bool_or(is_main and not is_shared))
    ),
    starved as (
        select
            process,
            any_value(rank) as rank,
            any_value(host) as host,
            any_value(pid) as pid,
            'GIL' as kind,
            list(shown order by holds_gil desc, is_main desc, line_no) filter (
                holds_gil or is_main
            ) as threads,
            list(line order by holds_gil desc, is_main desc) filter (
                holds_gil or is_main
            ) as evidence
        from telling
        where snapshot = gil_snapshot and not (is_helper and not holds_gil)
        group by process
        having count(*) >= 2 and bool_or(is_main)
    ),
    native_call as (
        select
            file_id,
            thread_line,
            line_no,
            name,
            name || coalesce(' (' || shown_path || ':' || line || ')', '') as label,
            row_number() over (deep) as nth
        from stack_call
        where native
        window deep as (partition by file_id, thread_line order by d)
    ),
    native_thread as (
        select
            file_id,
            thread_line,
            coalesce(
                arg_min(name, nth) filter (regexp_matches(name, '_gil$|mutex_lock|lll_lock')),
                arg_min(name, nth) filter (regexp_matches(name, '^PyEval_(?:Restore|Acquire)')),
                arg_min(name, nth) filter (not is_native_lock_wait(name)),
                arg_min(name, nth)
            ) as waits_in,
            -- who asked for the mutex
            {
                'place':arg_min(label, nth) filter (not is_part_of_locking(name)),
                'function':arg_min(name, nth) filter (not is_part_of_locking(name))
            } as caller,
            bool_or(
                nth <= 4
                and name = 'take_gil'
                or nth <= 6
                and regexp_matches(
                    name, '^(PyEval_RestoreThread|PyEval_AcquireThread|PyEval_AcquireLock)'
                )
            ) as wants_gil,
            bool_or(
                nth <= 4
                and regexp_matches(name, '^_*(GI_+)?(lll_lock_wait|pthread_mutex_lock)')
                or nth <= 8
                and regexp_matches(name, 'SpinLock::SlowLock|SpinLockDelay')
            ) as wants_mutex,
            -- below glibc 2.34's own waiting
            bool_or(nth <= 6 and regexp_matches(name, 'pthread_[a-z]*join|thread::join')) as joins,
            -- Code other than Python's waits at a semaphore: Python's own waits release the GIL.
            (
                bool_or(nth <= 3 and is_native_lock_wait(name))
                -- a lock that is made of a condition: of readers and writers, say
                or bool_or(
                    nth <= 2 and regexp_matches(name, '^_*(?:GI_+)?pthread_(?:cond_wait|rwlock_)')
                )
                and bool_or(
                    nth between 1 and 5
                    and regexp_matches(name, '(?:^|[^BbCc])[Ll]ock|[Mm]utex|[Ss]emaphore')
                )
            )
            and not bool_or(
                nth <= 8
                and regexp_matches(name, '(?i)PyThread_|semlock|billiard|PyEval_(?:Restore|Save)')
            ) as wants_foreign_lock,
            bool_or(
                regexp_matches(name, '^_?(PyEval_EvalFrame|PyEval_EvalCode|PyObject_|PyFunction_)')
            ) as runs_python,
            bool_or(
                regexp_matches(
                    name,
                    '^_*(new_exitfn|internal_atexit|cxa_atexit|GOMP_|gomp_|kmp_|dl_open)'
                    || '|SpinLock::SlowLock'
                )
            ) as in_inherited
        from native_call
        group by file_id, thread_line
    ),
    inverted as (
        select
            t.process,
            any_value(t.rank) as rank,
            any_value(t.host) as host,
            any_value(t.pid) as pid,
            'lock' as kind,
            case
                when
                    bool_or(n.wants_gil)
                    and count_if(not n.wants_gil and (n.wants_mutex or n.wants_foreign_lock)) = 1
                then true
            end as of_gil,
            list(
                {
                    'tid':t.tid,
                    'name':coalesce(t.name, t.tid, 'a thread'),
                    'place':if(n.wants_gil, n.waits_in, coalesce(n.caller.place, n.waits_in)),
                    'function':if(n.wants_gil, n.waits_in, coalesce(n.caller.function, n.waits_in))
                }
                order by n.wants_gil, t.is_main desc, t.line_no
            ) filter (n.wants_gil or n.wants_mutex or n.wants_foreign_lock) as threads,
            list(
                line_at(t.file_id, t.line_no) order by n.wants_gil, t.is_main desc, t.line_no
            ) filter (n.wants_gil or n.wants_mutex or n.wants_foreign_lock) as evidence
        from stack_thread_place as t
        join native_thread as n on n.file_id = t.file_id and n.thread_line = t.line_no
        where t.snapshot = t.snapshots
        group by t.process
        having
            bool_or(n.wants_gil)
            and bool_or(
                (n.wants_mutex or n.wants_foreign_lock) and not n.wants_gil and n.runs_python
            )
            and not bool_or(
                n.runs_python and not n.wants_gil and not n.wants_mutex and not n.wants_foreign_lock
            )
            or count(*) = 1
            and bool_and(n.wants_mutex and n.in_inherited)
            -- two mutexes or more, and nobody who could release one does anything else
            or count_if(n.wants_mutex) >= 2
            and bool_and(n.wants_mutex or n.joins or n.waits_in ~ 'join')
    ),
    -- A signal came while a thread held a lock, and its handler wants it: malloc's, or Python's.
    handler_call as (
        select file_id, thread_line, min(nth) as nth, min(line_no) as line_no
        from native_call
        where name = '<signal handler called>'
        group by file_id, thread_line
    ),
    caught as (
        select
            t.process,
            any_value(t.rank) as rank,
            any_value(t.host) as host,
            any_value(t.pid) as pid,
            'signal' as kind,
            [
                {
                    'tid':any_value(t.tid),
                    'name':coalesce(any_value(t.name), any_value(t.tid), 'a thread'),
                    'place':arg_min(c.name, c.nth) filter (c.nth > h.nth),
                    'function':arg_min(c.name, c.nth)
                }
            ] as threads,
            [
                line_at(any_value(t.file_id), min(t.line_no)),
                line_at(any_value(t.file_id), min(h.line_no))
            ] as evidence
        from stack_thread_place as t
        join handler_call as h on h.file_id = t.file_id and h.thread_line = t.line_no
        join native_call as c on c.file_id = t.file_id and c.thread_line = t.line_no
        where t.snapshot = t.snapshots
        group by t.process
        having
            bool_or(
                c.nth <= 4
                and c.nth < h.nth
                and (
                    is_native_lock_wait(c.name)
                    or regexp_matches(c.name, '^_*(?:GI_+)?PyThread_acquire_lock')
                )
            )
            and bool_or(
                c.nth - h.nth between 1 and 3
                and regexp_matches(c.name, 'lock|mutex|malloc|calloc|realloc|free|sem_post')
            )
    )
select l.*
from
    (
        from locked
        union all by name
        from starved
        union all by name
        from inverted
        anti join locked using (process)
        anti join starved using (process)
        union all by name
        from caught
        anti join locked using (process)
    ) as l
where
    not exists (from stack_rank as r where r.process = l.process and r.moved)
    -- a thread may well sleep with the GIL for a moment: others wait, or it was seen again
    and (
        l.kind in ('lock', 'signal')
        or exists (
            from stack_verdict as v
            where list_contains(v.ranks, l.rank) or list_contains(v.pids, l.pid)
        )
        or exists (from stack_main as s where s.process = l.process and s.snapshots > 1)
    )
