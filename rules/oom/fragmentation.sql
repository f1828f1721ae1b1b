/*
title = "Out of accelerator memory: enough is free, but not in one piece"
severity = "critical"
confidence = "probable"
status = "stable"
explains = [
  "hang",
  "network.peer_lost",
  "network.connect_failure",
  "network.ib_error",
  "divergence.collective_count",
  "divergence.stack",
  "crash.exception",
  "crash.signal",
  "loss.rollback",
]
explains_same_place = ["gpu.cuda_error"]
about = """
The allocator holds enough unused memory for the request, but in pieces between live tensors:
everything that could be given back was given back before the error was raised. On a TPU: enough
bytes are free, but not contiguous.
"""
summary = '''
{{ ranks | ranks | capital if ranks else 'A process' }} ran out of
{% if gpus %}memory on {{ gpus | names(accelerator or 'GPU') }}
{%- if host %} of {{ host }}{% endif %}
{%- else %}{{ accelerator or 'device' }} memory
{%- if location %} on {{ location }}{% if host %} of {{ host }}{% endif %}
{%- elif host %} on {{ host }}{% endif %}
{%- endif %}:
{% if because == 'fits_without_fragmentation' %}the compiled program needs
{{ requested_bytes | size }} of {{ limit_bytes | size }}, of which
{{ fragmentation_bytes | size }} is lost to fragmentation
{%- else %}
{%- if requested_bytes %}{{ requested_bytes | size }} requested, {% endif %}
{%- if because == 'free_but_not_in_one_piece' %}{{ free_bytes | size }} free,
{% if reservable_bytes is not none %}but only {{ reservable_bytes | size }}{% else %}but not
{%- endif %} in one piece
{%- elif because == 'largest_free_piece_too_small' %}
{%- if stranded_bytes is not none %}{{ stranded_bytes | size }} stranded between live tensors
and {{ free_bytes | size }} free
{%- elif limit_bytes %}{{ (limit_bytes - allocated_bytes) | size }} of the pool free
{%- else %}{{ free_bytes | size }} of each bank free{% endif %}, but the
largest piece has {{ largest_free_bytes | size }}
{%- elif because == 'refused_although_free' %}refused although {{ free_bytes | size }} of
{{ total_bytes | size }} was free
{%- else %}{{ unallocated_bytes | size }} reserved but unallocated in pieces
{%- if largest_free_bytes is not none and largest_free_bytes < requested_bytes %} of
{{ largest_free_bytes | size }} at most{% endif %}, {{ free_bytes | size }} of
{{ total_bytes | size }} free
{%- endif %}
{%- endif %}
{%- if failures > 1 and ranks | length <= 1 %}; {{ failures | count('failure') }}{% endif -%}
{% if survived %}; the program caught it and went on{% endif %}
'''
false_positives = """
Before PyTorch 2.4 the pools of CUDA graphs are counted as unallocated. Blocks that wait for side
streams look the same.
"""
references = [
  "https://pytorch.org/docs/stable/notes/cuda.html#memory-management",
  "https://openxla.org/xla/errors/error_0101",
]

[[step]]
when = "survived"
say = '''
Ignore this if the program skipped the batch or made it smaller on purpose. To save the failed
attempts, start with the batch size that worked.
'''

[[step]]
when = "variant == 'tpu_program'"
say = '''
Keep the bottom of the TPU's memory free until the program is loaded: load it before the large
buffers are made, donate arguments (donate_argnums), and drop arrays and programs that are no longer
needed. Constant shapes keep the number of programs small.
'''
run = ["export LIBTPU_INIT_ARGS=--tpu_log_allocations_on_oom=true"]

[[step]]
when = "variant == 'tpu_buffer'"
say = '''
Drop references to arrays that are no longer needed, donate arguments (donate_argnums), and keep
shapes constant, so that memory stays in one piece. Let the runtime list what it holds at the next
failure.
'''
run = ["export LIBTPU_INIT_ARGS=--tpu_log_allocations_on_oom=true"]

[[step]]
when = "variant == 'tpu_compile'"
say = '''
Lower the batch per core or rematerialise until the program fits with what the compiler loses to
fragmentation ({{ fragmentation_bytes | size }}); fewer and smaller temporaries alive at once lose
less.
'''

[[step]]
when = "largest_allocation_bytes and not survived"
say = '''
Start with the largest allocation, {{ largest_allocation_bytes | size }}
{%- if largest_allocation_source %}, made at {{ largest_allocation_source }}
{%- elif largest_allocation_op %}, for {{ largest_allocation_op }}{% endif %}.
'''

[[step]]
when = "variant == 'jax'"
say = "Keep shapes constant, and give JAX a larger pool or CUDA's own asynchronous allocator."
run = [
  "export XLA_PYTHON_CLIENT_MEM_FRACTION=0.92",
  "export XLA_PYTHON_CLIENT_ALLOCATOR=cuda_async",
]

[[step]]
when = "variant == 'tensorflow'"
say = "Keep shapes constant, and let TensorFlow use CUDA's asynchronous allocator."
run = ["export TF_GPU_ALLOCATOR=cuda_malloc_async"]

[[step]]
when = "variant == 'pieces'"
say = '''
Free what is no longer needed before the large buffer is made, make the largest buffers first, and
keep shapes constant.
'''

[[step]]
when = "variant == 'refused'"
say = '''
Look for what refused it from outside the program, since memory was free: a MIG slice, an MPS or
vGPU limit, another process that has just ended, a driver in a bad state. Then treat it as
fragmentation.
'''
run = [
  "{% if device == 'cuda' %}nvidia-smi -q -d MEMORY,COMPUTE{% endif %}",
  "{% if device == 'rocm' %}rocm-smi --showmeminfo vram --showpids{% endif %}",
]

[[step]]
when = "variant == 'torch' and not expandable_segments"
say = '''
Let segments grow, which removes most fragmentation
{%- if not max_split_size %} (where that is not supported: max_split_size_mb:128){% endif %}.
'''
run = [
  "{% if device == 'cuda' %}export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True{% endif %}",
  "{% if device == 'rocm' %}export PYTORCH_HIP_ALLOC_CONF=expandable_segments:True{% endif %}",
  "{% if device == 'npu' %}export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True{% endif %}",
]

[[step]]
when = "variant == 'torch' and not expandable_segments"
say = '''
Keep shapes constant or bucketed, and call torch.cuda.empty_cache() where phases change (training,
evaluation, generation).
'''

[[step]]
when = "variant == 'torch' and expandable_segments"
say = '''
Look for what pins memory although segments may grow already: tensors that live across phases,
blocks held by side streams (record_stream), pools of CUDA graphs. Keep shapes constant or bucketed,
and call torch.cuda.empty_cache() where phases change.
'''

[[step]]
when = "has_snapshot and not survived"
say = "Draw the segments of the memory snapshot to see what lies between the free pieces."
run = ["logsift plot RUN --extents -o FILE.png"]
*/
with
    allocator as (
        select coalesce(bool_or(max_split_size), false) as max_split_size
        from torch_allocator_setting
    )
select
    f.* exclude (class, file_id, line_no, self_unsure),
    case
        when f.survived
        then 'survived'
        when f.because = 'fits_without_fragmentation'
        then 'tpu_compile'
        when f.device = 'tpu' and f.reservable_bytes is not null
        then 'tpu_program'
        when f.device = 'tpu'
        then 'tpu_buffer'
        when f.framework in ('jax', 'tensorflow')
        then f.framework
        when f.because = 'refused_although_free'
        then 'refused'
        when f.because = 'largest_free_piece_too_small' and f.framework <> 'pytorch'
        then 'pieces'
        else 'torch'
    end as variant,
    case when a.max_split_size then true end as max_split_size,
    case when exists (from extent) then true end as has_snapshot,
    l.largest_allocation_bytes,
    l.largest_allocation_op,
    l.largest_allocation_source
from oom_failure f
cross join allocator a
left join xla_largest_allocation l using (file_id, line_no)
where f.class = 'fragmentation'
