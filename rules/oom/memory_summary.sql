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
falsely    = "The counts run since the program began: an error that was caught long ago still counts."
*/
SELECT 'memory summary of GPU ' || gpu_index || ': ' || max(c.ooms) || ' failed allocations, ' || max(c.retries) || ' retries after a flush' AS summary,
       list(line_at(c.file_id, c.line_no) ORDER BY c.line_no DESC) AS evidence, max(c.ooms) AS cuda_ooms, max(c.retries) AS cudamalloc_retries, gpu_index AS gpu, c.rank AS of_rank,
       (SELECT arg_max(current_bytes, line_no) FROM memory_summary_row r WHERE r.file_id = c.file_id AND r.gpu_index = c.gpu_index AND metric = 'Allocated memory') AS allocated_bytes,
       (SELECT arg_max(current_bytes, line_no) FROM memory_summary_row r WHERE r.file_id = c.file_id AND r.gpu_index = c.gpu_index AND metric = 'GPU reserved memory') AS reserved_bytes,
       (SELECT arg_max(current_bytes, line_no) FROM memory_summary_row r WHERE r.file_id = c.file_id AND r.gpu_index = c.gpu_index AND metric = 'Non-releasable memory') AS non_releasable_bytes
FROM memory_summary_count c GROUP BY c.file_id, c.gpu_index, c.rank
