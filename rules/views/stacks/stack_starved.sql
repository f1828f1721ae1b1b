-- table: one row if every dumped rank waits for its data loader, so that nobody stands apart,
-- and its workers are stuck: in two dumps in which none of them moves, or at locks that they
-- want. n: ranks; lines, worker_lines: evidence.
with
    starved as (
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
    worker as (
        select
            count(*) as workers,
            bool_and(stuck and coalesce(wants_lock, false)) as worker_wants_lock,
            bool_and(moved is not distinct from false) as still,
            list(pid order by pid) filter (pid is not null) as worker_pids,
            mode(function) as worker_function,
            mode(place) as worker_place,
            list(
                {'file_id':file_id, 'line_no':coalesce(own_line, thread_line)} order by pid
            ) as worker_lines
        from stack_worker
        having count(*) > 0 and bool_and(coalesce(stuck, false))
    )
select s.*, w.* exclude (still)
from starved as s, worker as w
where
    (w.worker_wants_lock or w.still and w.workers >= 2)
    and not coalesce((select goes_on from stack_aftermath), false)
