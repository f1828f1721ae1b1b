-- view: one row per exception of another library that speaks of memory and that the program died
-- of: only where nothing better tells. of_device: an accelerator's memory, as far as its words
-- say.
select
    *,
    regexp_matches(
        class || message,
        '(?i)out.?of.?memory|RESOURCE_EXHAUSTED|ResourceExhaustedError|CUBLAS_|CUDNN_|CUSOLVER_'
        || '|\b(?:gpu|vram|hbm|cuda|hip|rocm|npu|hpu|xpu|device|nrt_[a-z_]+'
        || '|kv[ _-]cache|workspace)\b'
        || '|device_memory|MODULE:'
    )
    and not starts_with(class, 'java.') as of_device,
    size_bytes_of(
        coalesce(
            nullif(
                regexp_extract(
                    message, 'llocat(?:e|ing)? ([0-9][0-9.,]* ?(?:[KMGT]i?B|bytes|B))', 1
                ),
                ''
            ),
            nullif(
                regexp_extract(message, 'llocation (?:failed )?(?:of|for) size[ :=]+([0-9]+)', 1),
                ''
            )
        )
    ) as requested_bytes
from fatal_exception
where
    kind = 'memory'
    and not exists (from oom_message)
    and not exists (from xla_allocate_oom)
    and not exists (from xla_runtime_oom)
    and not exists (from xla_compile_oom)
    and not exists (from tensor_oom)
    and not exists (from vllm_oom)
    and not exists (from runtime_oom)
    and not exists (from nccl_cuda_failure)
    and not exists (from cuda_error)
    and not exists (from host_allocation_failure where source <> 'c++')
    and not exists (from shm_failure)
    and not exists (from limit_reached)
    and not exists (from kill_explained)
