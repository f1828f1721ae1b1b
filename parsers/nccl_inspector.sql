-- The last collective each rank completed, and its usual bandwidth: who lags, who is slow.
CREATE VIEW nccl_inspector_last AS
SELECT comm_id, comm_rank, host, pid, max(nranks) AS nranks, max(coll_sn) AS last_sn, arg_max(op, coll_sn) AS last_op, median(busbw_gbs) AS busbw_gbs,
       count(*) AS completed, arg_max(file_id, coll_sn) AS file_id, arg_max(line_no, coll_sn) AS line_no
FROM nccl_inspector GROUP BY comm_id, comm_rank, host, pid;

COMMENT ON VIEW nccl_inspector_last IS 'last collective completed by each rank of a communicator and its median bus bandwidth, from the inspector plugin';
