/*
title = "Out of accelerator memory: the job does not fit"
severity = "critical"
confidence = "definite"
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
The program asked for more than is free plus what the allocator could give back. Nobody else is on
the card, and neither fragmentation nor the pools of CUDA graphs explain it. Also: a limit that is
set for the process, a program that the TPU compiler cannot place, a framework's pool that is full.
"""
summary = '''
{{ ranks | ranks | capital if ranks else 'A process' }} ran out of
{% if gpus %}memory on {{ gpus | names(accelerator or 'GPU') }}
{%- if host %} of {{ host }}{% endif %}
{%- else %}{{ accelerator or 'device' }} memory
{%- if location %} on {{ location }}{% if host %} of {{ host }}{% endif %}
{%- elif host %} on {{ host }}{% endif %}
{%- endif %}
{%- if because == 'no_numbers' %}
{%- if requested_bytes %}: {{ requested_bytes | size }} requested{% endif -%}
; the message does not say who holds the memory
{%- elif because == 'nothing_left_for_nccl' %}: nothing was left for NCCL's buffers
{%- if requested_bytes %} ({{ requested_bytes | size }} requested){% endif %}
{%- elif because == 'no_cache_blocks' %}: weights and activations leave nothing for the KV cache
{%- elif because == 'no_static_memory' %}: SGLang's share of the card holds the weights, but leaves
nothing for the KV cache
{%- elif because == 'token_pool_full' %}: SGLang's KV cache is full; the card itself need not be
{%- elif because == 'sequence_too_long' %}: the KV cache cannot hold one sequence of
{% if max_tokens %}{{ max_tokens | count('token') }}{% else %}the longest kind{% endif -%}
{% if requested_bytes and free_bytes %} ({{ requested_bytes | size }} needed,
{{ free_bytes | size }} available){% endif %}
{%- elif because == 'token_budget' %}: the configured tokens per batch do not fit beside the weights
{%- elif because == 'program_exceeds_memory' %}: the compiled program needs
{{ requested_bytes | size }}{% if limit_bytes %} of {{ limit_bytes | size }}{% endif %}
{%- elif because == 'kernel_exceeds_scratch_memory' %}: a kernel needs {{ requested_bytes | size }}
of scratch memory, {{ memory_space }} has {{ limit_bytes | size if limit_bytes else 'less' }}
{%- elif because == 'process_limit' %}:
{% if requested_bytes %}{{ requested_bytes | size }} requested, but {% endif %}
{%- if limit_bytes %}the process may use only {{ limit_bytes | size }}
{%- else %}the limit set for the process is reached{% endif %}
{%- elif because == 'pool_limit' and device in ('vulkan', 'mps') %}:
{% if requested_bytes %}{{ requested_bytes | size }} requested, {% else %}it asked for {% endif -%}
more than the device gives in one buffer{% if limit_bytes %} ({{ limit_bytes | size }}){% endif %}
{%- elif because == 'pool_limit' %}:
{% if requested_bytes %}{{ requested_bytes | size }} requested,
{% if allocated_bytes is not none %}{{ allocated_bytes | size }} in use, {% endif %}
{%- if free_bytes is not none %}{{ free_bytes | size }} left, {% endif %}and {% endif -%}
the memory pool may not grow
{%- if limit_bytes %} beyond {{ limit_bytes | size }}{% else %} further{% endif %}
{%- elif variant == 'misread' %}: the runtime asked for {{ requested_bytes | size }}, more than any
card has
{%- elif requested_bytes %}: {{ requested_bytes | size }} requested
{%- if because == 'refused_below_the_total' and free_bytes is not none
  and free_bytes > requested_bytes %} and refused, although {{ free_bytes | size }} of
{{ total_bytes | size }} are free
{%- elif because == 'refused_below_the_total' %} and refused, although the process holds only
{{ (reserved_bytes if reserved_bytes is not none else allocated_bytes) | size }} of
{{ total_bytes | size }}
{%- elif because == 'request_exceeds_card' %}, the whole card has {{ total_bytes | size }}
{%- else %}
{%- if free_bytes is not none and total_bytes %}, {{ free_bytes | size }} of
{{ total_bytes | size }} free
{%- elif free_bytes is not none %}, {{ free_bytes | size }} free
{%- elif limit_bytes and allocated_bytes %}, {{ allocated_bytes | size }} of the pool's
{{ limit_bytes | size }} in use
{%- endif %}
{%- if allocated_bytes and not (limit_bytes and free_bytes is none) %},
{{ allocated_bytes | size }} in use{% endif %}
{%- if holds_much_else %} by PyTorch and {{ not_pytorch_bytes | size }} by something else in this
process{% endif %}
{%- endif %}
{%- endif %}
{%- if failures > 1 and ranks | length <= 1 %}; {{ failures | count('failure') }}{% endif -%}
{% if survived %}; the program caught it and went on{% endif %}
'''
false_positives = """
A program that catches the error and retries with a smaller batch reports it too (severity info).
Where the message is cut before its numbers, the confidence is lower.
"""
references = [
  "https://pytorch.org/docs/stable/notes/cuda.html#memory-management",
  "https://openxla.org/xla/errors/error_0100",
]

[[step]]
when = "survived"
say = '''
Ignore this if the program skipped the batch or made it smaller on purpose. To save the failed
attempts, start with the batch size that worked.
'''

# The reason is the remedy.
[[step]]
when = "variant == 'process_limit'"
say = '''
Raise the limit{% if limit_bytes %} of {{ limit_bytes | size }}{% endif %} if the card has more to
give: {% if device == 'mps' %}PYTORCH_MPS_HIGH_WATERMARK_RATIO
{%- else %}torch.cuda.set_per_process_memory_fraction(){% endif %}. Otherwise lower the batch.
'''

[[step]]
when = "variant == 'refused_below_the_total' and is_small_request"
say = '''
Look at what else the driver may have run out of: it is no limit of size that refuses so little.
Count the mappings of the process against the limit, read the kernel log for the driver's own
reason, and see whether the process may lock memory.
'''
run = [
  "wc -l < /proc/$(pgrep -of YOUR_SCRIPT)/maps",
  "sysctl vm.max_map_count",
  "ulimit -l",
  "dmesg -T | grep -iE 'amdgpu|nvrm|xe ' | tail",
]

[[step]]
when = "variant == 'refused_below_the_total' and not is_small_request"
say = '''
Look for a limit on a single allocation
{%- if device == 'xpu' %} (Intel GPUs give 4 GiB at most unless relaxed limits are built in)
{%- else %} (MIG slice, vGPU, WDDM, container
{%- if device == 'rocm' %}, memory shared with the host{% endif %}){% endif %}
{%- if free_bytes is none %}, and for other holders of the card: the message does not say what was
free{% endif %}.
'''

[[step]]
when = "variant == 'misread'"
say = '''
Leave the batch as it is: the runtime takes the size of its pool from what the driver says of the
card, and {{ requested_bytes | size }} is no size of a card. Compare the versions of driver and
runtime, see that the devices that are visible are those meant, and give the pool a fixed size.
'''
run = [
  "{% if device == 'rocm' %}rocm-smi --showmeminfo vram{% else %}nvidia-smi{% endif %}",
  "env | grep VISIBLE_DEVICES",
]

[[step]]
when = "variant == 'little'"
say = '''
Find out what fills the {{ accelerator or 'card' }} before the batch is changed:
{{ requested_bytes | size }} are refused where nearly nothing is free. Another process may hold it,
other arrays of this one may, or the pool could not be made when it began: look at the memory in use
before and after the start.
'''

[[step]]
when = "variant == 'token_budget'"
say = '''
Lower --max-batch-prefill-tokens, --max-batch-total-tokens and --max-input-tokens, shard the model
over more GPUs (--num-shard), or quantise it.
'''

[[step]]
when = "variant == 'pool_limit' and framework == 'llama.cpp'"
say = '''
Ask for smaller buffers (-ub, -b, -c), or raise GGML_VK_FORCE_MAX_ALLOCATION_SIZE if the driver
allows it.
'''

[[step]]
when = "variant == 'pool_limit' and framework == 'MLX'"
say = "Split the array, or lower the batch or the sequence length: one buffer cannot be larger."

[[step]]
when = "variant == 'pool_limit' and framework not in ('llama.cpp', 'MLX')"
say = '''
Raise the pool's limit
{%- if framework == 'rmm' %} (maximum_pool_size, --rmm-maximum-pool-size)
{%- elif framework == 'onnxruntime' %} (gpu_mem_limit of the CUDA provider)
{%- elif framework == 'cupy' %} (CUPY_GPU_MEMORY_LIMIT, set_limit())
{%- endif -%}
{% if limit_bytes %} above {{ limit_bytes | size }}{% endif %}, or hold less at once: smaller
partitions or batches, spilling to the host.
'''

[[step]]
when = "variant == 'nothing_left_for_nccl'"
say = '''
Leave room for NCCL: lower the micro-batch, or create the communicators (one small all-reduce per
group) before PyTorch's cache fills the card. torch.cuda.empty_cache() just before a new group helps
too; smaller buffers and fewer channels cost bandwidth.
'''
run = ["export NCCL_BUFFSIZE=2097152 NCCL_MAX_NCHANNELS=8"]

[[step]]
when = "variant == 'no_cache_blocks'"
say = '''
Give vLLM more of the card (--gpu-memory-utilization 0.95), shard the model over more GPUs
(--tensor-parallel-size), quantise it, or lower --max-num-seqs and --max-num-batched-tokens.
'''

[[step]]
when = "variant == 'sequence_too_long'"
say = '''
Lower --max-model-len{% if cache_tokens %} to {{ cache_tokens }} or less{% endif %}, raise
--gpu-memory-utilization, or shard the model over more GPUs (--tensor-parallel-size).
'''

[[step]]
when = "variant == 'no_static_memory'"
say = '''
Raise --mem-fraction-static, which has to hold weights and KV cache. If a larger share fails too,
the model is too large for the card: shard it (--tp) or quantise it.
'''

[[step]]
when = "variant == 'token_pool_full'"
say = '''
Run fewer requests at once (--max-running-requests), shorten --context-length, or raise
--mem-fraction-static or --schedule-conservativeness.
'''

[[step]]
when = "variant == 'kernel_exceeds_scratch_memory'"
say = '''
Use smaller tiles (block sizes) in the kernel, or raise the compiler's scoped limit for
{{ memory_space }}. The batch size and the sharding of the model do not matter here.
'''

# What stands out in the numbers.
[[step]]
when = "holds_much_else and not survived"
say = '''
Look first at the {{ not_pytorch_bytes | size }} of this process that are not PyTorch's: buffers of
NCCL, or a second library on the same GPU (JAX, TensorFlow, RAPIDS).
'''

[[step]]
when = "variant == 'training' and requested_bytes >= 0.2 * total_bytes"
say = '''
Make the one tensor of {{ requested_bytes | size }} smaller: compute it in chunks (logits and their
loss, attention scores), shorten the sequence, or shard that layer.
'''

[[step]]
when = "largest_allocation_bytes and not survived and variant != 'little'"
say = '''
Start with the largest allocation, {{ largest_allocation_bytes | size }}
{%- if largest_allocation_source %}, made at {{ largest_allocation_source }}
{%- elif largest_allocation_op %}, for {{ largest_allocation_op }}{% endif %}.
'''

[[step]]
when = "padding >= 1.5 and not survived"
say = '''
Choose dimensions that are multiples of the TPU's tile (8 x 128): padding multiplies the temporaries
by {{ padding }}.
'''

# What each framework can do.
[[step]]
when = "variant == 'tpu' and because == 'program_exceeds_memory'"
say = '''
Lower the batch per core, shard over more cores, or rematerialise (jax.checkpoint), and donate the
arguments that the step replaces: jax.jit(step, donate_argnums=...).
'''

[[step]]
when = "variant == 'tpu' and because != 'program_exceeds_memory'"
say = '''
Lower the batch per core or shard over more cores. Donate the arguments that the step replaces
(jax.jit(step, donate_argnums=...)), and drop references to arrays that are no longer needed. If it
is not clear what holds the memory, let the runtime list it at the next failure.
'''
run = ["export LIBTPU_INIT_ARGS=--tpu_log_allocations_on_oom=true"]

[[step]]
when = "variant == 'jax'"
say = '''
Lower the batch per GPU, shard more, rematerialise (jax.checkpoint), and donate the arguments that
the step replaces (donate_argnums). JAX's pool is 75 % of the card unless told otherwise.
'''
run = ["export XLA_PYTHON_CLIENT_MEM_FRACTION=0.92"]

[[step]]
when = "variant == 'tensorflow'"
say = '''
Lower the batch per GPU, use mixed precision, or recompute gradients (tf.recompute_grad). If other
programs share the card, let the pool grow as needed.
'''
run = ["export TF_FORCE_GPU_ALLOW_GROWTH=true"]

[[step]]
when = "variant == 'onnxruntime'"
say = '''
Bound the shapes (batch, sequence, image size), and set arena_extend_strategy=kSameAsRequested and
cudnn_conv_use_max_workspace=0.
{% if not device %}The message does not say whether the arena is on the card or on the host: look
at both.{% endif %}
'''
run = ["{% if not device %}nvidia-smi{% endif %}", "{% if not device %}free -h{% endif %}"]

[[step]]
when = "variant == 'paddlepaddle'"
say = "Lower the batch, and let the allocator take memory as it is needed."
run = ["export FLAGS_allocator_strategy=auto_growth"]

[[step]]
when = "variant == 'rapids'"
say = '''
Hold less at once: smaller partitions, spilling, managed memory. CuPy, RMM and PyTorch each keep a
pool of their own in one process: share one, or free the others.
'''

[[step]]
when = "variant == 'habana'"
say = '''
Lower the batch or the sequence length, shard the model over more cards, or use fewer and smaller
HPU graphs: they keep their memory.
'''

[[step]]
when = "variant == 'neuron'"
say = '''
Shard the model over more NeuronCores (tensor parallel degree), or lower the batch or the sequence
length.
'''

[[step]]
when = "variant == 'llama.cpp'"
say = '''
Offload fewer layers (-ngl), shorten the context (-c), quantise the cache (-ctk, -ctv), or split the
model over more GPUs (-sm, -ts).
'''

[[step]]
when = "variant == 'tensorrt'"
say = '''
Lower the workspace limit, the batch, or the largest shapes of the optimisation profile, or build
for a lower precision.
'''

[[step]]
when = "variant == 'training'"
say = '''
Lower the micro-batch or the sequence length, checkpoint activations, or shard parameters, gradients
and optimizer states over more {{ accelerator or 'GPU' }}s.
'''

[[step]]
when = "1 <= ranks | length <= 2 and other_ranks and not survived"
say = '''
Compare {{ ranks | ranks }} with {{ ranks | agree('its', 'their') }} peers, which did not fail: look
for the last pipeline stage, the longest sequences, uneven sharding.
'''

[[step]]
when = '''
not survived and device != "tpu" and because in (
"no_numbers", "pool_refused", "no_reason_in_the_numbers", "no_other_reason_in_the_numbers",
"request_exceeds_free", "no_static_memory", "token_budget")
'''
say = '''
See that nothing else uses the {{ accelerator or 'card' }}
{%- if host %} of {{ host }}{% endif %}: the message does not say who holds the memory.
'''
run = [
  "{% if device == 'cuda' %}nvidia-smi{% endif %}",
  "{% if device == 'rocm' %}rocm-smi --showmeminfo vram --showpids{% endif %}",
  "{% if device == 'xpu' %}xpu-smi ps{% endif %}",
  "{% if device == 'npu' %}npu-smi info{% endif %}",
  "{% if device == 'hpu' %}hl-smi{% endif %}",
  "{% if device == 'mlu' %}cnmon{% endif %}",
  "{% if device == 'neuron' %}neuron-ls{% endif %}",
]
*/
with
    cache as (
        select any_value(max_tokens) as max_tokens, any_value(cache_tokens) as cache_tokens
        from vllm_oom
        where reason = 'sequence_too_long'
    )
select
    f.* exclude (class, file_id, line_no, self_unsure, confidence),
    -- what there is to do about it: the reason's own remedy, else what the framework offers
    case
        when f.survived
        then 'survived'
        when
            f.because in (
                'process_limit',
                'refused_below_the_total',
                'token_budget',
                'pool_limit',
                'nothing_left_for_nccl',
                'no_cache_blocks',
                'no_static_memory',
                'token_pool_full',
                'sequence_too_long',
                'kernel_exceeds_scratch_memory'
            )
        then f.because
        when f.device = 'tpu'
        then 'tpu'
        -- 16 TiB for a pool that has the size of the card
        when f.because = 'pool_refused' and f.requested_bytes > 17592186044416
        then 'misread'
        -- all that a compiled program asks for
        when
            f.because = 'no_other_reason_in_the_numbers'
            and f.requested_bytes < 67108864
            and f.framework = 'jax'
            and l.largest_allocation_bytes is not null
        then 'little'
        when f.framework in ('rmm', 'cupy', 'thrust', 'xgboost')
        then 'rapids'
        when
            f.framework in (
                'jax',
                'tensorflow',
                'onnxruntime',
                'paddlepaddle',
                'habana',
                'neuron',
                'llama.cpp',
                'tensorrt'
            )
        then f.framework
        else 'training'
    end as variant,
    case when variant = 'little' then 'possible' else f.confidence end as confidence,
    -- context and kernels of a process take about 1 GiB; with NCCL's buffers seldom above 2
    case when f.not_pytorch_bytes > 3221225472 then true end as holds_much_else,
    -- no allocator's limit on one piece is as small
    coalesce(
        f.requested_bytes < 67108864 and f.free_bytes > 16 * f.requested_bytes, false
    ) as is_small_request,
    (
        select nullif(count(*), 0) from rank_heard where not list_contains(f.ranks, rank)
    ) as other_ranks,
    case when f.because = 'sequence_too_long' then c.max_tokens end as max_tokens,
    case when f.because = 'sequence_too_long' then c.cache_tokens end as cache_tokens,
    l.largest_allocation_bytes,
    l.largest_allocation_op,
    l.largest_allocation_source
from oom_failure f
cross join cache c
left join xla_largest_allocation l using (file_id, line_no)
where f.class = 'capacity'
