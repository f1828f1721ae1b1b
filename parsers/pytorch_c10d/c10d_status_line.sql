-- table:
from c10d_status
union all by name
from c10d_status_joined
