-- table: one row per thread that waits, in the last dump of its process, and what for, in words;
-- threads that work and helpers are left out.
select
    process,
    rank,
    host,
    pid,
    tid,
    name,
    is_main,
    class,
    case
        when class = 'blocked'
        then 'a call of ' || coalesce(own.f, top.f, innermost) || ' that does not return'
        else coalesce(awaits, class)
    end as waits_for,
    decided.f as function,
    frame_with_line(own) as own_frame,
    file_id,
    line_no
from stack_thread_place
where
    snapshot = snapshots
    and class not in ('compute', 'helper', 'idle-service', 'launcher', 'pool-worker', 'none')
    and not (is_helper and not is_main)
