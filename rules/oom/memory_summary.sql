/*
title      = "Memory summary of PyTorch"
severity   = "info"
confidence = "definite"
status     = "stable"
about      = """
torch.cuda.memory_summary() counts allocations that failed (CUDA OOMs) and those that succeeded only after the cache was
flushed (cudaMalloc retries). Zero of both is the normal state; retries without failures are pressure that costs time. Memory
that cannot be released is what is left of segments that were cut up: a direct measure of fragmentation.
"""
remedy     = "Nothing to do where both counts are zero. With retries: lower the peak a little, or set expandable_segments:True."
false_positives = "The counts run since the program began: an error that was caught long ago still counts."
*/
select
    'memory summary of GPU '
    || gpu_index
    || ': '
    || max(c.ooms)
    || ' failed allocations, '
    || max(c.retries)
    || ' retries after a flush' as summary,
    list(line_at(c.file_id, c.line_no) order by c.line_no desc) as evidence,
    max(c.ooms) as cuda_ooms,
    max(c.retries) as cudamalloc_retries,
    gpu_index as gpu,
    c.rank as of_rank,
    (
        select arg_max(current_bytes, line_no)
        from memory_summary_row r
        where r.file_id = c.file_id and r.gpu_index = c.gpu_index and metric = 'Allocated memory'
    ) as allocated_bytes,
    (
        select arg_max(current_bytes, line_no)
        from memory_summary_row r
        where r.file_id = c.file_id and r.gpu_index = c.gpu_index and metric = 'GPU reserved memory'
    ) as reserved_bytes,
    (
        select arg_max(current_bytes, line_no)
        from memory_summary_row r
        where
            r.file_id = c.file_id and r.gpu_index = c.gpu_index and metric = 'Non-releasable memory'
    ) as non_releasable_bytes
from memory_summary_count c
group by c.file_id, c.gpu_index, c.rank
