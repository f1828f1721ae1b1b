-- table: one row per exception or line that tells in words of its own that memory ran out: only
-- where nothing better tells. of_device: an accelerator's memory, as far as its words say. class
-- is that of the exception; of a line there is none. is_kill, is_limit: somebody killed a process
-- for its memory, for a limit that was set.
with
    told as (
        select
            file_id,
            raised_line as line_no,
            time,
            host,
            rank,
            local_rank,
            task,
            pid,
            stream,
            class,
            message,
            (
                is_of_device_memory(frames)
                and not contains(message, 'OUT_OF_HOST_MEMORY')
                or regexp_matches(
                    class || ': ' || message,
                    '(?i)out.?of.?memory|RESOURCE_EXHAUSTED|ResourceExhaustedError|CUBLAS_|CUDNN_'
                    || '|CUSOLVER_|\b(?:gpu|vram|hbm|cuda|hip|rocm|npu|hpu|xpu|device|nrt_[a-z_]+'
                    || '|kv[ _-]cache|workspace)\b|device_memory|DeviceMemory|MEM_OBJECT_ALLOC'
                    || '|MODULE:|CachingAllocator|bytes for new constant'
                )
            )
            and not starts_with(class, 'java.')
            -- Ray's word for the memory of the node
            and class <> 'RayOutOfMemoryError'
            and not regexp_matches(
                message,
                '(?i)\b(?:node|host|machine)\b.{0,16}\b(?:low on|short of|out of) memory'
                -- the system's word (ENOMEM), whoever passes it on
                || '|\bCannot allocate memory$|\[Errno 12\]|\[WinError |\bcontainer killed\b'
            ) as of_device,
            false as is_kill,
            false as is_limit,
            size_bytes_of(
                coalesce(
                    nullif(
                        regexp_extract(
                            message, 'llocat(?:e|ing)? ([0-9][0-9.,]* ?(?:[KMGT]i?B|bytes|B))', 1
                        ),
                        ''
                    ),
                    nullif(
                        regexp_extract(
                            message, 'llocation (?:failed )?(?:of|for) size[ :=]+([0-9]+)', 1
                        ),
                        ''
                    )
                )
            ) as requested_bytes
        from fatal_exception
        where kind = 'memory'
        union all by name
        -- the runtime's own word for it, whoever printed it
        select
            file_id,
            line_no,
            time,
            host,
            rank,
            local_rank,
            task,
            pid,
            stream,
            text as message,
            true as of_device,
            false as is_kill,
            false as is_limit
        from cuda_error
        where
            kind = 'oom'
            and said_as <> 'exception'
            -- what NCCL could not allocate is another's fault
            and not (
                said_as = 'quoted'
                and exists (
                    from nccl_warning as w
                    where w.file_id = cuda_error.file_id and w.line_no = cuda_error.line_no
                )
            )
            and not exists (from pinned_call)
            and not exists (from cuda_error where kind <> 'oom')
        union all by name
        -- a library without memory for its handle, which TensorFlow only notes before it gives up
        select
            n.file_id,
            min(n.line_no) as line_no,
            min(n.time) as time,
            n.host,
            n.rank,
            n.local_rank,
            n.task,
            n.pid,
            n.stream,
            arg_min(n.error_text, n.line_no) as message,
            true as of_device,
            false as is_kill,
            false as is_limit
        from cuda_error_line n
        join fatal_exception x using (file_id)
        where
            n.error_text like 'CU%_ALLOC%_FAILED'
            and n.said_as = 'name'
            and n.line_no < x.raised_line
            and regexp_matches(
                x.message,
                '(?i)\b(cudnn|cublas|blas|cufft|fft|cusolver|cusparse)\b|convolution algorithm'
            )
        group by all
        union all by name
        select
            file_id,
            line_no,
            time,
            host,
            rank,
            local_rank,
            task,
            coalesce(victim_pid, pid) as pid,
            stream,
            message,
            kind = 'device_memory' as of_device,
            kind = 'memory' as is_kill,
            kind = 'memory' and is_limit as is_limit,
            requested_bytes
        from told_failure
        where
            kind in ('device_memory', 'host_memory', 'memory')
            -- memory of the host, without which many go on
            -- and a server that puts a request back until there is room
            and not regexp_matches(message, '(?i)\bpinned\b|\bis preempted by\b')
    )
select *
from told
where
    not exists (from oom_message)
    and not exists (from xla_allocate_oom)
    and not exists (from xla_runtime_oom)
    and not exists (from xla_compile_oom)
    and not exists (from tensor_oom)
    and not exists (from vllm_oom)
    and not exists (from runtime_oom)
    and not exists (from nccl_cuda_failure)
    and not exists (from cuda_error where kind <> 'oom')
    and not exists (from host_allocation_failure where source <> 'c++')
    and not exists (from shm_failure)
    and not exists (from limit_reached)
    and not exists (from kill_explained)
