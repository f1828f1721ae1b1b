-- table: One row per process of which a debugger lists a single thread that waits for another one
-- to release a lock: function, frame: where its Python, or what there is of it, wants it. Locks
-- that processes share are not meant: another process can release them.
with listed as (select *, count(*) over (partition by file_id) as threads from debugged_thread)
select
    l.host,
    l.tid::bigint as pid,
    l.tid as thread,
    arg_min(c.name, (c.native, c.d)) as function,
    arg_min(c.label, (c.native, c.d)) as frame,
    [
        line_at(l.file_id, l.line_no), line_at(l.file_id, arg_min(c.line_no, (c.native, c.d)))
    ] as evidence
from listed l
join stack_call c on c.file_id = l.file_id and c.line_no > l.line_no
where
    l.threads = 1
    and (is_native_lock_wait(l.function) or regexp_matches(l.function, '^_*(?:GI_+)?futex_'))
group by l.file_id, l.line_no, l.host, l.tid
having
    -- Python's own locks, or its code right above such a wait
    bool_or(c.native and c.name like '%PyThread_acquire_lock%' or not c.native and c.d = 1)
    and not bool_or(
        regexp_matches(c.label, '(?i)multiprocessing|semlock|billiard|mpi|shm')
        or c.name = 'acquire'
        and not c.native
        and c.label not like '%threading%'
    )
