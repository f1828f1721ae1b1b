-- table: One row per file in which the job itself speaks, whether or not its lines name a rank:
-- what it first says there is when it began.
select file_id
from training_line
union
select file_id
from nccl_comm
union
select file_id
from c10d_status
union
select file_id
from launcher_event
union
select file_id
from training_value
union
select file_id
from metric_curve
union
select file_id
from oom_event
