-- view: One row per line in which a scheduler or orchestrator says that it took the job, one of its
-- processes or a node away. What it says of a start that is awaited or refused is none.
select *
from job_event
where
    event in (
        'time_limit',
        'preempted',
        'requeued',
        'node_failure',
        'cancelled',
        'oom_kill',
        'evicted',
        'signalled'
    )
