-- view: one row per request that failed, drawn beside the pieces of `extent` to the same scale.
select
    file_id,
    line_no,
    path || ', GPU ' || gpu_index as picture,
    requested_bytes as size_bytes,
    'largest free piece '
    || bytes_text(largest_free_bytes)
    || ', asked for '
    || bytes_text(requested_bytes) as about
from memory_proof
join file using (file_id)
