-- table: One row per process of which a debugger lists a single thread that waits for another one
-- to release a lock: function, frame: where its Python, or what there is of it, wants it. Locks
-- that processes share are not meant: another process can release them. Likewise where all
-- threads are listed, and those beside it (driver_threads: how many) are CUDA's own, which only
-- wait for an event.
with
    listed as (select *, count(*) over (partition by file_id) as threads from debugged_thread),
    native_call as (
        select *, row_number() over (partition by file_id, thread_line order by d) as native_depth
        from stack_call
        where native
    ),
    numbered as (
        select
            t.file_id,
            t.line_no,
            t.host,
            t.tid,
            t.number,
            bool_or(
                c.native_depth <= 2
                and regexp_matches(c.name, '^_*(?:GI_+)?(?:lll_lock_wait|pthread_mutex_lock)')
            ) as wants_mutex,
            bool_or(
                c.native_depth = 1
                and regexp_matches(c.name, '^_*(?:GI_+)?(?:accept4?|p?poll|p?select|epoll_p?wait)$')
            )
            and bool_or(
                c.native_depth between 2 and 3 and starts_with(c.shown_path, 'libcuda.so')
            ) as is_of_driver,
            arg_min(c.name, c.native_depth) filter (not is_part_of_locking(c.name)) as caller,
            arg_min(c.label, c.native_depth) filter (
                not is_part_of_locking(c.name)
            ) as calling_frame,
            arg_min(c.name, c.native_depth) as top,
            arg_min(c.line_no, c.native_depth) as top_line
        from stack_thread t
        join native_call c on c.file_id = t.file_id and c.thread_line = t.line_no
        where t.source_kind = 'gdb'
        group by all
    )
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
union all by name
select
    any_value(host) filter (wants_mutex) as host,
    any_value(tid) filter (wants_mutex)::bigint as pid,
    any_value(tid) filter (wants_mutex) as thread,
    any_value(coalesce(caller, top)) filter (wants_mutex) as function,
    any_value(coalesce(calling_frame, top)) filter (wants_mutex) as frame,
    count_if(is_of_driver) as driver_threads,
    list(line_at(file_id, line_no)) filter (wants_mutex)
    || list(line_at(file_id, top_line)) filter (wants_mutex) as evidence
from numbered
group by file_id
having
    count(*) >= 2
    -- gdb counts them from 1
    and count(*) = max(number)
    and count(distinct number) = max(number)
    and count_if(wants_mutex) = 1
    and max(number) filter (wants_mutex) = 1
    and bool_and(wants_mutex or is_of_driver)
