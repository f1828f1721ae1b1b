-- table: One row per status line of a watchdog, whole or put together.
from c10d_status
union all by name
from c10d_status_joined
