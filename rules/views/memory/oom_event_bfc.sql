-- view: one row per message of the allocator of TensorFlow and of JAX on GPU (BFC), in the columns
-- of oom_event, with what its dump below the message counts.
with
    stat as (
        select
            file_id,
            dump_line,
            max(value_bytes) filter (name = 'Limit') as limit_bytes,
            max(value_bytes) filter (name = 'InUse') as in_use_bytes
        from bfc_stat
        group by all
    ),
    piece as (
        select
            file_id,
            dump_line,
            max(size_bytes) filter (state like 'Free%') as largest_free_bytes,
            sum(size_bytes) filter (state = 'InUse') as in_use_bytes
        from bfc_chunk
        group by all
    )
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
        when exists (from xla_runtime_oom) or exists (from xla_compile_oom) then 'tpu' else 'cuda'
    end as device,
    coalesce(
        try_cast(nullif(regexp_extract(a.allocator, 'GPU_([0-9]+)', 1), '') as bigint), a.gpu_index
    ) as gpu_index,
    coalesce(a.exact_bytes, a.requested_bytes, a.printed_bytes) as requested_bytes,
    s.limit_bytes,
    coalesce(s.in_use_bytes, p.in_use_bytes) as allocated_bytes,
    p.largest_free_bytes,
    'bfc' as kind
from xla_allocate_oom a
left join stat s on s.file_id = a.file_id and s.dump_line = a.line_no
left join piece p on p.file_id = a.file_id and p.dump_line = a.line_no
where
    a.harmless is null
    and coalesce(a.allocator, '') not like '%cpu%'
    and coalesce(a.allocator, '') not like '%host%'
