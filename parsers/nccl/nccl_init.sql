-- view: One row per rank that enters (phase START) or finishes (COMPLETE) the init of a
-- communicator.
select
    file_id,
    line_no,
    time,
    host,
    pid,
    rank,
    regexp_replace(event, '^Init ', '') as phase,
    call,
    comm,
    comm_id,
    comm_rank,
    nranks,
    cuda_device,
    gpu_index,
    bus_id
from nccl_comm
where event like 'Init %'
