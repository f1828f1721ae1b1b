-- table: one row per worker of a data loader: where it is in its last dump. stuck: it does not
-- wait for work and has not moved; a lock that it wants shows that in a single dump.
select
    process,
    pid,
    host,
    file_id,
    thread_line,
    status,
    own.f as function,
    frame_without_line(own) as place,
    own.line as own_line,
    moved,
    not in_queue_get
    and coalesce(status, 'idle') not like 'active%'
    and own is not null
    and coalesce(not moved, true) as stuck,
    worker_wants_lock as wants_lock
from
    (
        select
            *,
            case
                when lag(own_key) over w <> own_key then true when seen_before then false
            end as moved,
            row_number() over (partition by process order by snapshot desc) as back
        from stack_main
        join stack_again using (dump)
        where role = 'loader worker' and failure is null
        window w as (partition by process order by snapshot)
    )
where back = 1
