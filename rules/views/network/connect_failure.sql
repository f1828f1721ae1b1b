-- table: Connections that could not be made: who (host, rank, pid, gpu_index) failed to reach whom
-- (peer, port), and why. Connections that could not be made, whoever tried: one line per source of
-- such a view.
select *
from connect_failure_nccl
union all by name
select *
from connect_failure_strace
union all by name
select *
from connect_failure_c10d
