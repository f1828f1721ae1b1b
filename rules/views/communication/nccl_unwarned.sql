-- table: One row per frame of NCCL that gave an error up to its caller, of which no warning tells:
-- the last that its process says, or several in a row, and nothing goes on after them. text: the
-- library's words for its code.
with
    chain as (
        select
            r.file_id,
            r.host,
            r.pid,
            r.stream,
            r.nccl_result,
            min(r.line_no) as first_line,
            max(r.line_no) as last_line,
            any_value(f.lines) as lines
        from nccl_result r
        join file f using (file_id)
        where r.nccl_result in (1, 2, 3, 6) and r.host is not null
        group by all
        having count(*) > 1
    )
select r.*, c.text
from nccl_result r
join chain h using (file_id, host, pid, stream, nccl_result)
left join nccl_result_code c using (nccl_result)
where
    (h.lines - h.last_line < 20 or exists (from trouble_sign where sign <> 'nccl error'))
    and not exists (from nccl_warning)
    and not exists (from nccl_comm c where c.file_id = h.file_id and c.line_no > h.first_line)
    and not exists (from nccl_network n where n.file_id = h.file_id and n.line_no > h.first_line)
    and not exists (from training_line t where t.file_id = h.file_id and t.line_no > h.first_line)
    and not exists (from c10d_nccl_error)
    and not exists (from c10d_timeout_line)
    and not exists (from peer_loss)
    and not exists (from nccl_socket where event not in ('connect_retry', 'stranger'))
    and not exists (from nccl_ib_error)
    and not exists (from nccl_ofi_error)
    and not exists (from nccl_verbs_failure)
    and not exists (from nccl_cuda_failure)
    and not exists (from nccl_shm_failure)
    and not exists (from nccl_usage)
    and not exists (from nccl_size_mismatch)
    and not exists (from collective_mismatch_reported)
    and not exists (from cuda_error)
    and not exists (from oom_event)
    and not exists (from fatal_exception)
    and not exists (from scheduler_action)
    and not exists (from ended_from_outside)
