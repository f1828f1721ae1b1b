-- table: One row per source that tells who is missing, and per finding of it. Every source has
-- these columns: source; ranks (of the job), hosts, pids: who is missing, as far as it tells; grp,
-- seq, op: what the others are waiting in; side = host (its program did not get there) | device (it
-- enqueued the work, its device did not finish what the others finished); place = init | outside |
-- inside the collective; grade = definite | probable | possible, taken alone; at; evidence; finding
-- = what it found, in a word (hang.missing_rank has a sentence for each). The rest are details that
-- belong to one finding or another, NULL elsewhere.
from missing_rank_progress
union all by name
from missing_rank_no_dump
union all by name
from missing_rank_barrier
union all by name
from missing_rank_barrier_root
union all by name
from missing_rank_coordination
union all by name
from missing_rank_monitor
union all by name
from missing_rank_desync
union all by name
from missing_rank_analyser
union all by name
from missing_rank_horovod
union all by name
from missing_rank_horovod_ready
union all by name
from missing_rank_silent
union all by name
from missing_rank_silent_group
union all by name
from missing_rank_ended
union all by name
from missing_rank_raised
union all by name
from missing_rank_stacks
union all by name
from missing_rank_calls
union all by name
from missing_rank_ras
union all by name
from missing_rank_ras_dead
union all by name
from missing_rank_inspector
union all by name
from missing_rank_strace
union all by name
from missing_rank_gone
where not exists (from stack_init_wait)
union all by name
from missing_rank_stage
union all by name
from missing_rank_trace
union all by name
from missing_rank_told
