-- table: One row per message of any framework, in bytes. Where a runtime does not print a number it
-- is NULL. `allocated` is live tensors (with the pools of CUDA graphs), `unallocated` what the
-- framework keeps without using it.
with
    every as (
        select
            file_id,
            line_no,
            last_line,
            time,
            host,
            rank,
            local_rank,
            task,
            pid,
            stream,
            case when is_async then 'cudaMallocAsync' else 'pytorch' end as framework,
            device,
            gpu_index,
            requested_bytes,
            total_bytes,
            free_bytes,
            this_process_bytes,
            processes,
            allocated_bytes,
            unallocated_bytes,
            private_pool_bytes,
            limit_bytes,
            by_fraction,
            other_bytes,
            tells_pools,
            bare,
            null::bigint as reservable_bytes,
            null::bigint as shortfall_bytes,
            null::varchar as location,
            null::varchar as program,
            null::varchar as kind,
            null::bigint as largest_free_bytes,
            null::bigint as fragmentation_bytes,
            null::double as padding,
            null::varchar as memory_space,
            null::bigint as stranded_bytes,
            null::bigint as releasable_bytes,
            null::bigint as changes_after,
            null::varchar as frames
        from torch_oom
        where not absurd
        union all by name
        -- NCCL prints the failing call and the size on two lines
        select
            file_id,
            min(line_no) as line_no,
            max(line_no) as last_line,
            min(time) as time,
            host,
            min(rank) as rank,
            min(local_rank) as local_rank,
            min(task) as task,
            pid,
            stream,
            'nccl' as framework,
            'cuda' as device,
            device_hint as gpu_index,
            max(requested_bytes) as requested_bytes,
            'nccl' as kind
        from nccl_cuda_failure
        where error = 'out of memory' or requested_bytes is not null
        group by file_id, host, pid, stream, device_hint
        union all by name
        select
            file_id,
            line_no,
            line_no as last_line,
            time,
            host,
            rank,
            local_rank,
            task,
            pid,
            stream,
            gpu_index,
            case
                when reason in ('no_static_memory', 'token_pool_full') then 'sglang' else 'vllm'
            end as framework,
            'cuda' as device,
            requested_bytes,
            total_bytes,
            coalesce(free_bytes, (free_gib * 1073741824)::bigint) as free_bytes,
            reason as kind
        from vllm_oom
        union all by name
        select
            file_id,
            line_no,
            line_no as last_line,
            time,
            host,
            rank,
            local_rank,
            task,
            pid,
            stream,
            framework,
            case when lower(device) = 'gpu' then 'cuda' else lower(device) end as device,
            gpu_index,
            requested_bytes,
            free_bytes,
            allocated_bytes,
            limit_bytes,
            reason as kind
        from runtime_oom
        union all by name
        select
            file_id,
            line_no,
            line_no as last_line,
            time,
            host,
            rank,
            local_rank,
            task,
            pid,
            stream,
            'tensorrt' as framework,
            'cuda' as device,
            requested_bytes,
            'buffer' as kind
        from tensorrt_oom t
        where
            kind = 'refused'
            and exists (
                from tensorrt_oom g
                where g.kind = 'gave_up' and g.file_id = t.file_id and g.line_no > t.line_no
            )
        union all by name
        select
            file_id,
            line_no,
            line_no as last_line,
            time,
            host,
            rank,
            local_rank,
            task,
            pid,
            stream,
            'xla' as framework,
            'tpu' as device,
            requested_bytes,
            free_bytes,
            reservable_bytes,
            location,
            program,
            call as kind
        from xla_runtime_oom
        union all by name
        select
            c.file_id,
            c.line_no,
            c.line_no as last_line,
            c.time,
            c.host,
            c.rank,
            c.local_rank,
            c.task,
            c.pid,
            c.stream,
            'xla' as framework,
            'tpu' as device,
            c.used_bytes as requested_bytes,
            c.limit_bytes,
            coalesce(
                c.shortfall_bytes, greatest(c.used_bytes - c.limit_bytes, 0)
            ) as shortfall_bytes,
            'compile' as kind,
            c.memory_space,
            u.fragmentation_bytes,
            round(u.padded_bytes / u.unpadded_bytes, 2) as padding
        from xla_compile_oom c
        left join
            lateral(
                select *
                from xla_compile_use u
                where u.file_id = c.file_id and u.line_no between c.line_no and c.line_no + 40
                order by u.line_no
                limit 1
            ) u
            on true
        union all by name
        select
            a.file_id,
            a.line_no,
            a.line_no as last_line,
            a.time,
            a.host,
            a.rank,
            a.local_rank,
            a.task,
            a.pid,
            a.stream,
            case
                when a.allocator is null and a.printed_bytes is null then 'jax' else 'tensorflow'
            end as framework,
            case
                when exists (from xla_runtime_oom) or exists (from xla_compile_oom)
                then 'tpu'
                else 'cuda'
            end as device,
            coalesce(
                try_cast(nullif(regexp_extract(a.allocator, 'GPU_([0-9]+)', 1), '') as bigint),
                a.gpu_index
            ) as gpu_index,
            coalesce(a.exact_bytes, a.requested_bytes, a.printed_bytes) as requested_bytes,
            d.limit_bytes,
            d.allocated_bytes,
            d.largest_free_bytes,
            'bfc' as kind
        from xla_allocate_oom a
        left join
            (
                select
                    file_id,
                    dump_line,
                    max(value_bytes) filter (name = 'Limit') as limit_bytes,
                    coalesce(
                        max(value_bytes) filter (name = 'InUse'), max(in_use)
                    ) as allocated_bytes,
                    max(largest) as largest_free_bytes
                from
                    (
                        select
                            file_id,
                            dump_line,
                            name,
                            value_bytes,
                            null::bigint as largest,
                            null::bigint as in_use
                        from bfc_stat
                        union all
                        select
                            file_id,
                            dump_line,
                            null,
                            null,
                            max(size_bytes) filter (state like 'Free%'),
                            sum(size_bytes) filter (state = 'InUse')
                        from bfc_chunk
                        group by all
                    )
                group by all
            ) d
            on d.file_id = a.file_id
            and d.dump_line = a.line_no
        where
            a.harmless is null
            and coalesce(a.allocator, '') not like '%cpu%'
            and coalesce(a.allocator, '') not like '%host%'
        union all by name
        select
            file_id,
            line_no,
            line_no as last_line,
            time,
            host,
            rank,
            local_rank,
            task,
            pid,
            stream,
            'tensorflow' as framework,
            case when device = 'TPU' then 'tpu' else 'cuda' end as device,
            gpu_index,
            'tensor' as kind,
            try_cast(
                list_product(
                    list_transform(string_split(shape, ','), lambda n:try_cast(n as double))
                ) * case
                    when dtype in ('float', 'int32', 'uint32')
                    then 4
                    when dtype in ('double', 'int64', 'complex64')
                    then 8
                    when dtype in ('half', 'bfloat16', 'int16')
                    then 2
                    when dtype in ('int8', 'uint8', 'bool')
                    then 1
                end as bigint
            ) as requested_bytes
        from
            (
                select
                    t.* replace (
                        coalesce(t.device, p.device) as device,
                        coalesce(t.gpu_index, p.gpu_index) as gpu_index,
                        coalesce(t.dtype, lower(p.dtype)) as dtype
                    )
                from tensor_oom t
                left join
                    (
                        select
                            file_id,
                            tensor_line,
                            any_value(device) as device,
                            any_value(gpu_index) as gpu_index,
                            any_value(dtype) as dtype
                        from tensor_place
                        group by all
                    ) p
                    on p.file_id = t.file_id
                    and p.tensor_line = t.line_no
            )
        where coalesce(allocator, '') not ilike '%cpu%' and coalesce(device, '') not ilike 'cpu'
        union all by name
        select
            file_id,
            raised_line as line_no,
            raised_line as last_line,
            time,
            host,
            rank,
            local_rank,
            task,
            pid,
            stream,
            'other' as framework,
            'cuda' as device,
            'other' as kind,
            requested_bytes
        from memory_exception
        where of_device
        union all by name
        -- a memory snapshot counts the pieces instead of guessing at them
        select
            file_id,
            line_no,
            line_no as last_line,
            time,
            host,
            rank,
            local_rank,
            task,
            pid,
            stream,
            'pytorch' as framework,
            'cuda' as device,
            gpu_index,
            'snapshot' as kind,
            requested_bytes,
            free_bytes,
            allocated_bytes,
            unallocated_bytes,
            private_pool_bytes,
            largest_free_bytes,
            stranded_bytes,
            releasable_bytes,
            changes_after,
            frames
        from memory_proof
    ),
    -- frames of a capturing function shortly before the message, or capture errors shortly after
    -- it, by the same writer
    captured as (
        select
            e.file_id,
            e.line_no,
            e.stream,
            arg_max(g.line_no, g.line_no) filter (g.kind <> 'phase') as capture_line,
            max(g.function) filter (g.kind = 'frame') as capture_function
        from every e
        join
            graph_capture g
            on g.file_id = e.file_id
            and g.stream is not distinct from e.stream
            and (
                g.kind = 'frame'
                and g.line_no between e.line_no - 80 and e.line_no - 1
                or g.kind = 'error'
                and g.line_no between e.line_no and e.last_line + 80
            )
        group by all
    )
select
    e.*,
    c.capture_line,
    c.capture_function,
    exists (from graph_capture where kind = 'phase') as graphs_in_use
from every e
left join
    captured c
    on c.file_id = e.file_id
    and c.line_no = e.line_no
    and c.stream is not distinct from e.stream
