-- table: One row at most: the one thread that all dumps of the run show, where a debugger printed
-- it and it waits for a mutex or for the GIL (kind: lock | GIL). Who holds it is not shown. No
-- lock of the C library's own is meant, which is held for moments, and none below a handler of
-- signals. function, frame: who asked for it.
with
    shown as (
        select any_value(t) as t
        from stack_thread_any t
        having count(*) = 1 and bool_and(source_kind in ('gdb', 'backtrace', 'eu-stack', 'lldb'))
    ),
    call as (
        select
            t.file_id,
            t.line_no as thread_line,
            t.host,
            t.tid,
            c.line_no,
            c.name,
            c.label,
            row_number() over (order by c.d) as nth
        from shown
        join stack_call c on c.file_id = t.file_id and c.thread_line = t.line_no
    ),
    wait as (
        select
            any_value(file_id) as file_id,
            any_value(thread_line) as thread_line,
            any_value(host) as host,
            any_value(tid) as tid,
            min(line_no) as first_line,
            arg_max(name, nth) as last_name,
            arg_max(label, nth) as last_label,
            min(nth) filter (
                nth <= 6
                and regexp_matches(
                    name,
                    '^(?:take_gil$|PyEval_(?:RestoreThread|AcquireThread|AcquireLock)|PyGILState_E)'
                )
            ) as gil_at,
            bool_or(
                nth <= 3
                and (
                    is_native_lock_wait(name)
                    or regexp_matches(
                        name, '^_*(?:GI_+)?(?:pthread_cond_(?:timed)?wait|futex_|PyThread_acq)'
                    )
                )
            ) as is_asleep,
            bool_or(
                nth <= 2
                and regexp_matches(
                    name,
                    '^_*(?:GI_+)?(?:lll_lock_wait$|pthread_mutex_lock|pthread_rwlock_(?:rd|wr)lock)'
                )
            ) as wants_mutex,
            bool_or(name = '<signal handler called>') as in_handler,
            arg_min({'name':name, 'label':label}, nth) filter (
                not is_part_of_locking(name)
                and not regexp_matches(
                    name, '^(?:take_gil|PyEval_[RA]|PyGILState|PyThread_)|(?i:gil_?(?:lock|scop))'
                )
            ) as caller
        from call
        having count(*) > 0
    )
select
    case when gil_at is not null then 'GIL' else 'lock' end as kind,
    host,
    tid as thread,
    coalesce(caller.name, last_name) as function,
    coalesce(caller.label, last_label) as frame,
    [line_at(file_id, thread_line), line_at(file_id, first_line)] as evidence
from wait
where
    not in_handler
    and (wants_mutex or gil_at is not null and is_asleep)
    and not exists (from death)
    and not exists (from fatal_exception)
    and not exists (from "exit")
    and not coalesce((select goes_on from stack_aftermath), false)
