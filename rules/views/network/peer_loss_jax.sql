-- table: One row per line in which JAX's coordination service names a task whose heartbeat it no
-- longer hears, alone or in a list, in the shape of peer_loss. rank: the lost task.
with
    lost as (
        select file_id, line_no, time, lost_task as rank
        from coordination_task
        where event = 'heartbeat'
        union all
        select file_id, head_line, time, lost_task
        from coordination_listed
        where event = 'unhealthy'
        union all
        -- which one, only its own log tells
        select file_id, line_no, time, null
        from coordination_task
        where
            event = 'task_died'
            and not exists (from coordination_task where event in ('heartbeat', 'unhealthy'))
            and not exists (from coordination_task where event in ('start', 'barrier'))
    )
select case when rank is null then 'jax_service' else 'jax' end as source, *
from lost
where
    not exists (from fatal_exception where kind <> 'collective')
    and not exists (from scheduler_action)
    and not exists (
        from ended_from_outside o where coalesce(o.time < lost.time + interval 5 second, true)
    )
    and not exists (from death where signal in (4, 7, 8, 9, 11))
