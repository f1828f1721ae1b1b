-- table: Every dumped rank waits for its data loader, so that nobody stands apart. It is no hang
-- before the workers are seen to stand: by two dumps in which none of them moves, or by locks that
-- they want.
with
    ranks as (
        select
            count(*) as n,
            list(rank order by rank) filter (rank is not null) as ranks,
            list(pid order by rank, pid) filter (pid is not null) as pids,
            list(distinct host) filter (host is not null) as hosts,
            any_value(decided.f) as waiting_function,
            bool_or(rank_guessed) as guessed,
            list(
                {'file_id':file_id, 'line_no':coalesce(decided.line, thread_line)}
                order by rank, pid
            ) as lines
        from stack_rank
        having
            count(*) > 0
            and bool_and(class = 'data-wait' and not failed and not coalesce(moved, false))
    ),
    workers as (
        select
            count(*) as n,
            count(*) filter (stuck) as stuck,
            count(*) filter (stuck and wants_lock) as locked,
            coalesce(bool_and(moved is not distinct from false), false) as still,
            list(pid order by pid) filter (stuck and pid is not null) as worker_pids,
            mode(function) filter (stuck) as worker_function,
            mode(place) filter (stuck) as worker_place,
            list(
                {'file_id':file_id, 'line_no':coalesce(own_line, thread_line)} order by pid
            ) filter (stuck) as worker_lines
        from stack_worker
    )
select r.*, w.* exclude (n, stuck), w.n as workers, w.stuck
from ranks as r, workers as w
where
    w.stuck = w.n
    and (w.locked = w.n and w.n >= 1 or w.still and w.n >= 2)
    and not coalesce((select goes_on from stack_aftermath), false)
