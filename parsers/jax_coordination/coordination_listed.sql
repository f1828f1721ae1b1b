-- table: One row per task in a list below a line of JAX's coordination service; event = unhealthy:
-- it stopped sending heartbeats, start: it did not come to the barrier of the start, barrier: to
-- another one, straggler: it had not connected when the service counted. Lines that hold a task's
-- name belong to a list only where they follow its head without a gap.
select
    h.event,
    h.line_no as head_line,
    k.file_id,
    k.line_no,
    coalesce(k.time, h.time) as time,
    k.lost_task
from
    (
        select *, row_number() over (partition by file_id order by line_no) as nth
        from coordination_task
        where event = 'task'
    ) k
asof join
    (
        select
            u.file_id,
            u.line_no,
            u.time,
            case
                when u.event = 'listed'
                then
                    coalesce(
                        (
                            select arg_max(b.event, b.line_no)
                            from coordination_task b
                            where
                                b.event in ('start', 'barrier')
                                and b.file_id = u.file_id
                                and b.line_no < u.line_no
                        ),
                        'barrier'
                    )
                else u.event
            end as event,
            (
                select count(*)
                from coordination_task b
                where b.event = 'task' and b.file_id = u.file_id and b.line_no < u.line_no
            ) as before
        from coordination_task u
        where u.event in ('unhealthy', 'start', 'barrier', 'listed', 'straggler')
    ) h
    on h.file_id = k.file_id
    and h.line_no <= k.line_no
where k.line_no - h.line_no = k.nth - h.before
