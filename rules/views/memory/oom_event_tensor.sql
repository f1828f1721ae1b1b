-- view: one row per sentence of TensorFlow that a tensor could not be allocated, in the columns of
-- oom_event: the size follows from the shape and the type.
with
    place as (
        select
            file_id,
            tensor_line as line_no,
            any_value(device) as device,
            any_value(gpu_index) as gpu_index,
            any_value(lower(dtype)) as dtype
        from tensor_place
        group by all
    ),
    placed as (
        select
            t.* replace (
                coalesce(t.device, p.device) as device,
                coalesce(t.gpu_index, p.gpu_index) as gpu_index,
                coalesce(t.dtype, p.dtype) as dtype
            )
        from tensor_oom t
        left join place p using (file_id, line_no)
    )
select
    t.file_id,
    t.line_no,
    t.line_no as last_line,
    t.time,
    t.host,
    t.rank,
    t.local_rank,
    t.task,
    t.pid,
    t.stream,
    'tensorflow' as framework,
    case when t.device = 'TPU' then 'tpu' else 'cuda' end as device,
    t.gpu_index,
    'tensor' as kind,
    try_cast(
        list_product(list_transform(string_split(t.shape, ','), lambda n:try_cast(n as double)))
        * d.bytes as bigint
    ) as requested_bytes
from placed t
left join tensorflow_dtype d using (dtype)
where coalesce(t.allocator, '') not ilike '%cpu%' and coalesce(t.device, '') not ilike 'cpu'
