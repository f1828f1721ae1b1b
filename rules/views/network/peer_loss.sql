-- table: One row per line that says that the other end of a connection is gone: who says it (rank,
-- host; for jax the rank is the lost one), of whom (peer, peer_host, port). source: nccl |
-- nccl_exception | mpi | gloo | strace | agent and store (c10d) | jax | exception | the library of
-- library_failure.
from peer_loss_nccl
union all by name
from peer_loss_gloo
union all by name
from peer_loss_store
union all by name
from peer_loss_jax
union all by name
from peer_loss_strace
union all by name
select 'exception' as source, v.file_id, v.line_no, v.time, v.host, v.rank, x.peer, x.port
from exception_verdict v
join exception_errno x using (file_id, line_no)
where
    x."class" = 'peer'
    and (v.chain_uncaught or v.job_failed and v.lines_after < 60)
    and v.steps_after = 0
    and not exists (from fatal_exception)
    and not exists (from c10d_timeout_line)
    and not exists (from c10d_nccl_error)
    and not exists (from scheduler_action)
    and not exists (from connect_failure)
    and not exists (from ended_from_outside)
    and not exists (from death where signal in (4, 6, 7, 8, 9, 11))
union all by name
select
    library as source,
    file_id,
    line_no,
    time,
    host,
    rank,
    -- a name that the program gives it, no host
    case when f.call = 'RPC' then 'RPC worker ' || peer else peer end as peer
from library_failure f
where
    "class" = 'peer'
    and not exists (from rdma_failure)
    and not exists (from metric_span m where m.file_id = f.file_id and m.last_line > f.line_no)
    -- a service that has ended with its job is missed, too
    and (
        f.library <> 'grpc'
        or f.reached_program
        or exists (from trouble_sign)
        or exists (from fatal_exception)
        or exists (from coordination_task where is_task_trouble(event))
        or exists (from death)
    )
union all by name
select
    'mpi' as source, e.file_id, e.line_no, e.time, coalesce(a.host, e.host) as host, e.rank, e.peer
from launcher_event e
left join
    launcher_event a
    on a.event = 'hung_up_at'
    and a.file_id = e.file_id
    and a.line_no between e.line_no - 3 and e.line_no
where
    e.event = 'peer_hung_up'
    and not exists (from fatal_exception)
    and not exists (from ended_from_outside)
    and not exists (from scheduler_action)
    and not exists (from death)
union all by name
select
    'told' as source,
    file_id,
    line_no,
    time,
    host,
    rank,
    coalesce(peer, 'rank ' || peer_rank) as peer
from communication_told
where kind = 'peer'
