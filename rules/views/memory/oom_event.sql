-- table: One row per message of any framework, in bytes. Where a runtime does not print a number it
-- is NULL. `allocated` is live tensors (with the pools of CUDA graphs), `unallocated` what the
-- framework keeps without using it.
with
    message as (
        select
            * exclude (time_quality, error_type, message, absurd, is_async),
            case when is_async then 'cudaMallocAsync' else 'pytorch' end as framework
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
            * exclude (
                time_quality, uptime_seconds, reason, free_gib, max_tokens, cache_tokens
            ) replace (coalesce(free_bytes, (free_gib * 1073741824)::bigint) as free_bytes),
            case
                when reason in ('no_static_memory', 'token_pool_full') then 'sglang' else 'vllm'
            end as framework,
            'cuda' as device,
            reason as kind
        from vllm_oom
        union all by name
        select
            r.* exclude (time_quality, uptime_seconds, reason) replace (
                case
                    lower(device) when 'gpu' then 'cuda' when 'hip' then 'rocm' else lower(device)
                end as device,
                coalesce(r.free_bytes, c.free_bytes) as free_bytes
            ),
            c.total_bytes,
            reason as kind
        from runtime_oom r
        left join
            (
                select file_id as of_file, line_no - 1 as of_line, free_bytes, total_bytes
                from reported_memory
            ) c
            on r.framework = 'xla'
            and c.of_file = r.file_id
            and c.of_line = r.line_no
        -- one piece that was refused says nothing: a pool that shrinks is refused many times
        qualify
            reason <> 'pool_refused'
            or count_if(reason = 'pool_refused' and requested_bytes >= 1073741824) over (
                partition by file_id, stream
            )
            >= 3
            or count_if(reason = 'pool_refused') over (
                partition by file_id, stream, requested_bytes
            )
            >= 3
        union all by name
        select
            * exclude (time_quality, uptime_seconds) replace ('buffer' as kind),
            'tensorrt' as framework,
            'cuda' as device
        from tensorrt_oom t
        where
            kind = 'refused'
            and exists (
                from tensorrt_oom g
                where g.kind = 'gave_up' and g.file_id = t.file_id and g.line_no > t.line_no
            )
        union all by name
        from oom_event_xla
        union all by name
        from oom_event_bfc
        union all by name
        from oom_event_tensor
        union all by name
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
            'other' as framework,
            'cuda' as device,
            'other' as kind,
            requested_bytes
        from untold_memory
        where of_device
        union all by name
        -- a memory snapshot counts the pieces instead of guessing at them
        select
            * exclude (reserved_bytes, segments, first_segment),
            'pytorch' as framework,
            'cuda' as device,
            'snapshot' as kind
        from memory_proof
    ),
    every as (
        -- most messages are one line; who raised it, the head of its traceback may tell
        select
            m.* replace (
                coalesce(m.last_line, m.line_no) as last_line,
                coalesce(m.rank, x.rank) as rank,
                coalesce(m.pid, x.pid) as pid
            )
        from message m
        left join
            exception x
            on x.file_id = m.file_id
            and x.line_no = m.line_no
            and x.stream is not distinct from m.stream
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
