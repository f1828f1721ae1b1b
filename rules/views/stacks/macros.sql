-- A frame as people name it: function (file:line), the line where it is known.
create macro frame_with_line(frame) as
    frame.f || ' (' || frame.p || coalesce(':' || frame.n, '') || ')'
;

-- The same without the line, which differs between dumps of one loop: function (file).
create macro frame_without_line(frame) as
    frame.f || ' (' || frame.p || ')'
;

-- The line in a call as paths show it: function (file:line).
create macro line_of_call(call) as
    try_cast(regexp_extract(call, ':([0-9]+)\)$', 1) as bigint)
;

-- A path of calls without the lines in it.
create macro calls_without_lines(path) as
    list_transform(coalesce(path, []), lambda x:regexp_replace(x, ':[0-9]+\)$', ')'))
;

-- The number that a pattern's first group finds.
create macro number_in(text, pattern) as
    try_cast(nullif(regexp_extract(text, pattern, 1), '') as bigint)
;

-- A native function in which a thread waits for a lock or a semaphore.
create macro is_native_lock_wait(name) as
    coalesce(
        regexp_matches(
            name,
            '^_*(?:GI_+)?(?:do_futex_wait|new_sem_wait|sem_wait|lll_lock_wait|pthread_mutex_lock)'
        ),
        false
    )
;

-- A native function that is but a part of taking a lock, or of starting a thread: who asked for the
-- lock is the next one.
create macro is_part_of_locking(name) as
    is_native_lock_wait(name)
    or coalesce(
        regexp_matches(
            name,
            '^_*(?:GI_+)?(?:lll|L|pthread|futex|gthread|new_sem|sem|syscall|start_thread|clone)'
            || '(?:[^a-z]|$)'
            || '|std::(?:recursive_|shared_|timed_)?mutex::|std::(?:unique|scoped|shared)_lock'
            || '|std::lock_guard|(?:absl|base)::(?:[A-Za-z_]+::)*(?:Mutex|SpinLock)'
            || '|[Cc]ond(?:ition|Var)[A-Za-z_]*::[Ww]ait|^[?][?]$'
        ),
        false
    )
;
