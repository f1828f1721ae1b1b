-- table: One row per rank of which torch's communication layer printed anything.
select coalesce(rank, group_rank) as rank
from c10d_timeout_line
where source = 'watchdog'
union
select coalesce(rank, group_rank)
from c10d_status_line
union
select rank
from c10d_heartbeat_line
union
select rank
from c10d_event
