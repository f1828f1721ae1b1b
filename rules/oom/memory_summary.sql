/*
title = "Memory summary of PyTorch"
severity = "info"
confidence = "definite"
status = "stable"
about = """
torch.cuda.memory_summary() counts allocations that failed (CUDA OOMs) and those that succeeded only
after the cache was flushed (cudaMalloc retries). Zero of both is the normal state; retries without
failures mean memory pressure, which costs time. Memory that cannot be released is what is left of
segments that were cut up: a direct measure of fragmentation.
"""
summary = '''
The memory summary of GPU {{ gpu }} counts {{ cuda_ooms | count('failed allocation') }} and
{{ cudamalloc_retries | count('retry', 'retries') }} after a flush of the cache
'''
false_positives = """
The counts run since the program began: an error that was caught long ago still counts.
"""

[[step]]
when = "cuda_ooms == 0 and cudamalloc_retries == 0"
say = "Do nothing: memory was never short."

[[step]]
when = "cuda_ooms == 0 and cudamalloc_retries > 0"
say = '''
Lower the peak a little, or let segments grow: every retry flushes the cache and costs time.
'''
run = ["export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"]

[[step]]
when = "cuda_ooms > 0"
say = '''
Look for the out-of-memory error itself; this table shows where the memory was
{%- if non_releasable_bytes %} ({{ non_releasable_bytes | size }} in pieces that cannot be given
back){% endif %}.
'''
*/
with
    last_value as (
        select
            file_id,
            gpu_index,
            arg_max(current_bytes, line_no) filter (metric = 'Allocated memory') as allocated_bytes,
            arg_max(current_bytes, line_no) filter (
                metric = 'GPU reserved memory'
            ) as reserved_bytes,
            arg_max(current_bytes, line_no) filter (
                metric = 'Non-releasable memory'
            ) as non_releasable_bytes
        from memory_summary_row
        group by all
    )
select
    list(line_at(c.file_id, c.line_no) order by c.line_no desc) as evidence,
    max(c.ooms) as cuda_ooms,
    max(c.retries) as cudamalloc_retries,
    c.gpu_index as gpu,
    c.rank as of_rank,
    any_value(v.allocated_bytes) as allocated_bytes,
    any_value(v.reserved_bytes) as reserved_bytes,
    any_value(v.non_releasable_bytes) as non_releasable_bytes
from memory_summary_count c
left join last_value v using (file_id, gpu_index)
group by c.file_id, c.gpu_index, c.rank
