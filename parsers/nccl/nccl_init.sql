-- view: Communicator init per rank: START and COMPLETE. Ranks entering and finishing communicator
-- init.
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
