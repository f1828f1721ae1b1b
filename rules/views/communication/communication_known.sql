-- view: One row where a source that a grammar knows tells of trouble between ranks: nobody else's
-- words are looked into then.
select 1 as is_known
where
    exists (from c10d_timeout_line)
    or exists (from c10d_status_line)
    or exists (from c10d_barrier)
    or exists (from c10d_desync)
    or exists (from c10d_fingerprint)
    or exists (from c10d_size)
    or exists (from c10d_store)
    or exists (from c10d_heartbeat)
    or exists (from c10d_nccl_error)
    or exists (from gloo_error)
    or exists (from hccl_error)
    or exists (from horovod_stall)
    or exists (from coordination_task where is_task_trouble(event))
    or exists (from nccl_usage)
    or exists (from nccl_socket)
    or exists (from nccl_shm_failure)
    or exists (from nccl_size_mismatch)
