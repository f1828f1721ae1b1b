-- table: One row: the processes that did not come to a barrier of JAX's coordination service, other
-- than that of the start, as the service lists them. JAX's process is the rank.
select
    'jax_barrier' as source,
    'not_at_barrier' as finding,
    list_sort(list(distinct lost_task)) as ranks,
    []::varchar[] as hosts,
    []::bigint[] as pids,
    'barrier' as op,
    'host' as side,
    'outside' as place,
    'probable' as grade,
    min(time) as "at",
    list_distinct(list(line_at(file_id, head_line)) || list(line_at(file_id, line_no)))[
        :20
    ] as evidence
from coordination_listed
where event = 'barrier'
having count(*) > 0
