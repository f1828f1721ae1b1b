/*
title = "Out of accelerator memory: held by CUDA graphs, or while one was captured"
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
While a CUDA graph is captured, the allocator cannot give cached memory back; and memory in a
graph's private pool serves that graph only. The error then says nothing about the size of the
model.
"""
summary = '''
{{ ranks | ranks | capital if ranks else 'A process' }} ran out of
{% if gpus %}memory on {{ gpus | names(accelerator or 'GPU') }}
{%- if host %} of {{ host }}{% endif %}
{%- else %}{{ accelerator or 'device' }} memory
{%- if location %} on {{ location }}{% if host %} of {{ host }}{% endif %}
{%- elif host %} on {{ host }}{% endif %}
{%- endif %}
{%- if because == 'during_capture' %} while a CUDA graph was being captured
{%- if capture_function %} ({{ capture_function }}){% endif %}
{%- if requested_bytes %}: {{ requested_bytes | size }} requested
{%- if free_bytes is not none and total_bytes %}, {{ free_bytes | size }} of
{{ total_bytes | size }} free{% endif %}
{%- endif %}
{%- else %}:
{% if requested_bytes %}{{ requested_bytes | size }} requested while {% endif %}
{%- if because == 'graph_pools_hold_it' %}the pools of CUDA graphs hold
{{ private_pool_bytes | size }}
{%- if total_bytes %} of {{ total_bytes | size }}{% endif %}, which nothing else may use
{%- else %}{{ unallocated_bytes | size }} of {{ total_bytes | size }} sits unused in a cache
that CUDA graphs pin
{%- endif %}
{%- endif %}
{%- if failures > 1 and ranks | length <= 1 %}; {{ failures | count('failure') }}{% endif -%}
{% if survived %}; the program caught it and went on{% endif %}
'''
false_positives = """
Frames of a capturing function above the message can belong to a graph that was only replayed.
"""
references = ["https://pytorch.org/docs/stable/notes/cuda.html#memory-management"]

[[step]]
when = "survived"
say = '''
Ignore this if the program skipped the batch or made it smaller on purpose. To save the failed
attempts, start with the batch size that worked.
'''

[[step]]
when = "variant == 'server'"
say = '''
Capture fewer batch sizes and leave more of the card free for them: in vLLM lower --max-num-seqs and
--gpu-memory-utilization and list fewer sizes; in SGLang lower --cuda-graph-max-bs and
--mem-fraction-static.
'''

[[step]]
when = "variant == 'compile'"
say = '''
Give the compiler fewer shapes to capture: pad or bucket the inputs, and do not capture dynamic ones
(torch._inductor.config.triton.cudagraph_skip_dynamic_graphs = True).
'''

[[step]]
when = "variant == 'capture'"
say = '''
Capture fewer layers or shapes, or use a smaller micro-batch: cached memory cannot be given back
while a capture is under way, so the graph needs fresh memory. Capture before other large
allocations, and call torch.cuda.empty_cache() just before.
'''

[[step]]
when = "variant == 'pools'"
say = '''
Capture fewer sizes with a smaller batch, and let all graphs share one pool
(pool=torch.cuda.graph_pool_handle()): {% if private_pool_bytes %}the
{{ private_pool_bytes | size }} in their pools{% else %}what their pools hold{% endif %}
cannot serve anything else.
'''

[[step]]
when = "not survived"
say = '''
Confirm it by one run without CUDA graphs
{%- if variant == 'server' %} (vLLM: --enforce-eager; SGLang: --disable-cuda-graph)
{%- elif variant == 'compile' %} (mode="default" instead of "reduce-overhead"){% endif %}: it
should then fit.
'''
*/
select
    * exclude (class, file_id, line_no, self_unsure),
    -- who captures, as far as the function tells
    case
        when survived
        then 'survived'
        when because <> 'during_capture'
        then 'pools'
        when regexp_matches(capture_function, '^_?capture_model$|^_capture_[a-z_]*graph')
        then 'server'
        when capture_function = 'create_cudagraphs'
        then 'server'
        when capture_function like '%cudagraphify%'
        then 'compile'
        else 'capture'
    end as variant
from oom_failure
where class = 'graph_capture'
