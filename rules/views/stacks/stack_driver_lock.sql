-- table: One row per thread that waits for a lock within CUDA's driver, where a debugger shows no
-- other thread of its process: another one holds it, and is not shown. function, frame: the call
-- of a library that led there.
with
    listed as (
        select *, count(*) over (partition by file_id) as threads
        from stack_thread
        where source_kind = 'gdb'
    ),
    call as (
        select
            l.file_id,
            l.host,
            l.tid,
            l.line_no as thread_line,
            c.line_no,
            c.name,
            c.label,
            c.shown_path,
            row_number() over (partition by l.file_id order by c.d) as nth
        from listed l
        join stack_call c on c.file_id = l.file_id and c.thread_line = l.line_no
        where l.threads = 1 and l.number > 1  -- gdb counts them from 1
    )
select
    host,
    tid as thread,
    arg_min(name, nth) filter (name <> '??' and nth > 2) as function,
    arg_min(label, nth) filter (name <> '??' and nth > 2) as frame,
    [line_at(file_id, thread_line), line_at(file_id, arg_min(line_no, nth))] as evidence
from call
group by file_id, thread_line, host, tid
having
    bool_or(
        nth <= 2
        and regexp_matches(
            name, '^_*(?:GI_+)?(?:pthread_rwlock_(?:wr|rd)lock|pthread_mutex_lock|lll_lock_wait)'
        )
    )
    and bool_or(nth between 2 and 4 and starts_with(shown_path, 'libcuda.so'))
    and function is not null
