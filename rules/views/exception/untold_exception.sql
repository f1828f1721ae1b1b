-- table: One row per exception of a GPU or of communication (in the columns of fatal_exception) in
-- a run where no other fact tells of that failure: its words are new, and the exception itself is
-- all that is known.
with
    gpu_fact as (
        select 1
        where
            exists (from runtime_error)
            or exists (from library_failure)
            or exists (from device_assertion)
            or exists (from gpu_fault)
            or exists (from accelerator_event)
            or exists (from nccl_cuda_failure)
            or exists (from nccl_usage)
    ),
    communication_fact as (
        select 1
        where
            exists (from communication_known)
            or exists (from library_failure)
            or exists (from library_trouble)
            or exists (from connect_failure)
            or exists (from peer_loss)
            or exists (from rdma_failure)
            or exists (from collective_mismatch_source)
            or exists (from store_wait)
            or exists (from unfinished_communicator)
            or exists (from missing_rank_suspect)
            or exists (from communication_told)
    )
select *
from fatal_exception
where
    (certain or kind = 'collective' and lines_after <= 5)
    and not exists (from oom_event)
    and not exists (from scheduler_action)
    and not exists (from ended_from_outside)
    and not exists (from config_error)
    and (
        kind = 'gpu'
        and not exists (from gpu_fact)
        or kind = 'collective'
        and not exists (from communication_fact)
        and not exists (from runtime_error)
        and not exists (from death where signal in (4, 6, 7, 8, 9, 11))
    )
