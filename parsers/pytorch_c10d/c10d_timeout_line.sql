-- table: One row per line of a timeout, whole or put together.
from c10d_timeout
union all by name
from c10d_timeout_joined
