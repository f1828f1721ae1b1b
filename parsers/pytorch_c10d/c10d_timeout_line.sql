-- table:
from c10d_timeout
union all by name
from c10d_timeout_joined
