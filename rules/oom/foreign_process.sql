/*
title = "Out of accelerator memory: another process holds it"
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
Total minus free minus what this process holds belongs to somebody else: a process left over from
the last run, a second rank on the same card, a parent that keeps tensors. Also, only possible:
little was refused to a process that held nothing yet.
"""
summary = '''
{{ ranks | ranks | capital if ranks else 'A process' }} ran out of
{% if gpus %}memory on {{ gpus | names(accelerator or 'GPU') }}
{%- if host %} of {{ host }}{% endif %}
{%- else %}{{ accelerator or 'device' }} memory
{%- if location %} on {{ location }}{% if host %} of {{ host }}{% endif %}
{%- elif host %} on {{ host }}{% endif %}
{%- endif %}
{%- if because == 'card_in_use_at_start' %}: the card was in use before it started
{%- if free_bytes is not none %}, {{ free_bytes | size }} of {{ total_bytes | size }} was free
{%- endif %}
{%- if requested_bytes %} and {{ requested_bytes | size }} is needed{% endif %}
{%- elif because == 'held_nothing' %}: {{ requested_bytes | size }} refused to a process that held
nothing yet, so something else fills the card, or it is broken
{%- else %}:
{% if requested_bytes %}{{ requested_bytes | size }} requested while {% endif %}
{%- if foreign_pids %}
{%- if foreign_rank is not none %}rank {{ foreign_rank }} of this job (process
{{ foreign_pid }}){% else %}process {{ foreign_pid }}{% endif %}
{%- if foreign_pids | length > 1 %} and {{ foreign_pids | length - 1 }} more{% endif %}
{{ foreign_pids | agree('holds', 'hold') }} {{ foreign_bytes | size }} of the card's
{{ total_bytes | size }}
{%- else %}something other than this process's PyTorch holds {{ foreign_bytes | size }} of the
card's {{ total_bytes | size }}
{%- endif %}
{%- endif %}
{%- if failures > 1 and ranks | length <= 1 %}; {{ failures | count('failure') }}{% endif -%}
{% if survived %}; the program caught it and went on{% endif %}
'''
false_positives = """
Old messages and ROCm do not say what this process holds outside PyTorch: a second library in the
same process (XLA, TensorFlow, RAPIDS) looks like another process.
"""
references = ["https://pytorch.org/docs/stable/notes/cuda.html#memory-management"]

[[step]]
when = "survived"
say = '''
Ignore this if the program skipped the batch or made it smaller on purpose. To save the failed
attempts, start with the batch size that worked.
'''

[[step]]
when = "foreign_rank is not none and not survived"
say = '''
Give each rank a card of its own: set the device from LOCAL_RANK before the first CUDA call, and
compare CUDA_VISIBLE_DEVICES of rank {{ foreign_rank }}
{%- if rank is not none %} with that of rank {{ rank }}{% endif %}.
'''
run = ["xargs -0 -n 1 < /proc/{{ foreign_pid }}/environ | grep VISIBLE_DEVICES"]

[[step]]
when = "foreign_pids and foreign_rank is none and not survived"
say = '''
Find out {% if host %}on {{ host }} {% endif %}what
{{ foreign_pids | agree('process', 'processes') }} {{ foreign_pids | names }}
{{ foreign_pids | agree('is', 'are') }} (outside of any container). A rank that outlived the last
run: kill it. A parent that keeps tensors: free them, or start the child from a clean process.
Another rank of this job: set the device from LOCAL_RANK.
'''
run = ["ps -o pid,ppid,user,lstart,args -p {{ foreign_pids | join(',') }}"]

[[step]]
when = "self_unsure and not survived"
say = '''
Make sure before you kill process {{ foreign_pid }}: it may be the one that failed, and
{{ self_pid }} the other; both hold about the same.
'''

[[step]]
when = "not foreign_pids and not survived"
say = '''
See who uses {% if gpus %}{{ gpus | names(accelerator or 'GPU') }}{% else %}the card{% endif %}
{%- if host %} of {{ host }}{% endif %}: kill what is left of an earlier run, and make sure
that no two ranks share the card.
{%- if because == 'memory_nobody_here_holds' %} If no other process is there, a second library in
this one holds the memory (JAX, TensorFlow, RAPIDS, buffers of NCCL).
{%- elif because == 'card_in_use_at_start' %} To share it on purpose, lower
--gpu-memory-utilization.
{%- elif because == 'held_nothing' %} If the card is empty, read the kernel log: then the GPU or its
driver is at fault.
{%- endif %}
'''
run = [
  "{% if device == 'cuda' %}nvidia-smi{% endif %}",
  "{% if device == 'rocm' %}rocm-smi --showmeminfo vram --showpids{% endif %}",
  "{% if device == 'xpu' %}xpu-smi ps{% endif %}",
  "{% if device == 'npu' %}npu-smi info{% endif %}",
  "{% if device == 'cuda' and because == 'held_nothing' %}dmesg -T | grep -i nvrm{% endif %}",
]
*/
select
    f.* exclude (class, file_id, line_no, self_unsure),
    case when f.self_unsure then true end as self_unsure
from oom_failure f
where f.class = 'foreign_process'
