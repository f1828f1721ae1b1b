-- table:
select *
from missing_rank_progress
union all by name
select *
from missing_rank_no_dump
union all by name
select *
from missing_rank_barrier
union all by name
select *
from missing_rank_desync
union all by name
select *
from missing_rank_analyser
union all by name
select *
from missing_rank_horovod
union all by name
select *
from missing_rank_horovod_ready
union all by name
select *
from missing_rank_barrier_root
union all by name
select *
from missing_rank_silent
union all by name
select *
from missing_rank_ended
union all by name
select *
from missing_rank_stacks
union all by name
select *
from missing_rank_nccl
union all by name
select *
from missing_rank_strace
union all by name
select *
from missing_rank_gone
