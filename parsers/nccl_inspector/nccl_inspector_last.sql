-- table: One row per rank of a communicator: the last collective it completed and its median bus
-- bandwidth, by NCCL's inspector plugin.
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
