-- table: One row per source and rank that others wait for and that waits for nobody: its device is
-- stuck, or its program.
from suspect_device
union all by name
from suspect_host
