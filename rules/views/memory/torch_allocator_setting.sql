-- view: PYTORCH_CUDA_ALLOC_CONF and its relatives as logs show them, one row per line.
select
    file_id,
    line_no,
    name,
    value,
    value ilike '%expandable_segments:true%' as expandable_segments,
    value ilike '%max_split_size_mb%' as max_split_size
from setting
where name like 'PYTORCH%ALLOC_CONF'
