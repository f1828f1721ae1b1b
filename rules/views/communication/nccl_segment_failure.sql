-- table: One row per line of NCCL that tells of a shared memory segment it could not make, size or
-- attach, with the reason that the line gives, or the one before it of the same process. Not those
-- that CUDA refused to register: NCCL then tells of the segment as well, with an errno that is left
-- over from before. is_full: there is no room for it; what another process made has its room.
with
    segment as (
        select
            s.*,
            (
                select max_by(r.error, r.line_no)
                from nccl_shm_failure r
                where
                    r.file_id = s.file_id
                    and r.pid is not distinct from s.pid
                    and r.device_hint is not distinct from s.device_hint
                    and s.line_no - r.line_no between 1 and 8
            ) as error_before
        from nccl_shm_failure s
    )
select
    * exclude (error_before) replace (coalesce(error, error_before) as error),
    coalesce(
        starts_with(coalesce(error, error_before), 'No space left'),
        call is distinct from 'attaching to'
    ) as is_full
from segment s
where
    not exists (
        from nccl_cuda_failure c
        where
            c.file_id = s.file_id
            and c.pid is not distinct from s.pid
            and c.device_hint is not distinct from s.device_hint
            and s.line_no - c.line_no between 1 and 8
    )
