-- table: One row per line that says that the other end of a connection is gone: who says it (rank,
-- host; for jax the rank is the lost one), of whom (peer, peer_host, port). source: nccl |
-- nccl_exception | gloo | agent and store (c10d) | jax | the library of library_failure.
from peer_loss_nccl
union all by name
from peer_loss_gloo
union all by name
from peer_loss_store
union all by name
from peer_loss_jax
union all by name
select library as source, file_id, line_no, time, host, rank, peer
from library_failure f
where
    "class" = 'peer'
    and not exists (from rdma_failure)
    and not exists (from metric_span m where m.file_id = f.file_id and m.last_line > f.line_no)
