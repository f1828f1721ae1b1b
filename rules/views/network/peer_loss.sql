-- table: One row per line that says that the other end of a connection is gone: who says it (rank,
-- host; for jax the rank is the lost one), of whom (peer, peer_host, port). source: nccl |
-- nccl_exception | gloo | agent and store (c10d) | jax.
from peer_loss_nccl
union all by name
from peer_loss_gloo
union all by name
from peer_loss_store
union all by name
from peer_loss_jax
