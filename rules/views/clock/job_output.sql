-- view: Files in which the job itself speaks, whether or not its lines name a rank: what it first
-- says there is when it began.
select distinct file_id
from
    (
        select file_id
        from training_line
        union all
        select file_id
        from nccl_comm
        union all
        select file_id
        from c10d_status
        union all
        select file_id
        from launcher_event
        union all
        select file_id
        from training_value
        union all
        select file_id
        from metric_curve
    )
