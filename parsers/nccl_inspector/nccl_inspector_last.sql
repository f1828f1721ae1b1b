-- view: Last collective completed by each rank of a communicator and its median bus bandwidth, from
-- the inspector plugin. The last collective each rank completed, and its usual bandwidth: who lags,
-- who is slow.
select
    comm_id,
    comm_rank,
    host,
    pid,
    max(nranks) as nranks,
    max(coll_sn) as last_sn,
    arg_max(op, coll_sn) as last_op,
    median(busbw_gbs) as busbw_gbs,
    count(*) as completed,
    arg_max(file_id, coll_sn) as file_id,
    arg_max(line_no, coll_sn) as line_no
from nccl_inspector
group by comm_id, comm_rank, host, pid
