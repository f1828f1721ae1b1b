/*
title = "The program accessed GPU memory that is not its own, or blocked the GPU"
severity = "critical"
confidence = "probable"
status = "stable"
explains = [
  "gpu.cuda_error",
  "hang",
  "network.peer_lost",
  "network.connect_failure",
  "crash",
  "loss.rollback",
]
transient = true
about = """
The driver stopped a GPU context because the program running in it read or wrote where it must not,
sent an illegal instruction, or did not yield the GPU. The GPU is healthy. The codes 43 and 45 that
follow only say that the channel was taken down.
"""
false_positives = """
The same place (GPC, TPC, SM) of one GPU faults under unrelated programs: then the GPU is suspect,
not the program.
"""
references = ["https://docs.nvidia.com/deploy/xid-errors/"]

[[summary]]
when = "checker"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}: k{% else %}K{% endif %}ernel
{{ kernel.split('(')[0] if kernel else 'of the program' }}
{%- if source_file %} ({{ source_file }}:{{ source_line }}){% endif %}
{% if access == 'read' %}read from{% elif access == 'write' %}wrote to{% else %}accessed{% endif %}
{% if space and space != 'global' %}{{ space }} {% endif %}memory that is not its own
{%- if hosts %}, on {{ hosts | names }}{% endif %} ({{ checker }})
'''

[[summary]]
when = "vendor == 'nvidia'"
say = '''
{% if gpu_instance %}MIG instance {{ gpu_instance }} of {% endif %}
{% if gpus %}{{ gpus | names('GPU') }}{% else %}{{ 'a' if gpu_instance else 'A' }} GPU{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %}{% if ranks %} ({{ ranks | ranks }}){% endif %}:
Xid {{ xid }}, {% if exception_type %}exception in a kernel: {{ exception_type }}
{%- elif meaning %}{{ meaning }}{% else %}not in NVIDIA's catalogue{% endif %}
{%- if process %}, in {{ process }} (pid {{ pid }})
{%- elif pid %}, in process {{ pid }}{% endif %}
{%- if bursts and bursts > 1 %}, {{ bursts }} times{% endif %}
'''

[[summary]]
when = "vendor == 'amd'"
say = '''
{% if gpus and gpus | length > 1 %}{{ gpus | names('AMD GPU') }}
{%- elif gpu %}AMD GPU {{ gpu | bus_id }}{% else %}An AMD GPU{% endif %}
{%- if host %} on {{ host }}{% endif %}{% if ranks %} ({{ ranks | ranks }}){% endif %}:
{% if error == 'ring timeout' %}work on
{% if ring %}ring {{ ring }}{% else %}a ring{% endif %} did not end in time
{%- else %}the program accessed an address that is not mapped{% endif %}
{%- if process %}, in {{ process }} (pid {{ pid }}){% endif %}
'''

[[summary]]
when = "vendor in ('intel', 'intel_gpu', 'moore_threads')"
say = '''
{% set card = {
'intel': 'Gaudi card', 'moore_threads': 'Moore Threads GPU'}.get(vendor, 'Intel GPU') -%}
{% if gpus %}{{ gpus | names(card) }}
{%- else %}{{ 'An' if vendor == 'intel_gpu' else 'A' }} {{ card }}{% endif %}
{%- if host %} on {{ host }}{% endif %}{% if ranks %} ({{ ranks | ranks }}){% endif %}:
{% if error == 'page fault' %}the program accessed an address that is not mapped
{%- else %}work of the program did not end in time{% endif %}
'''

[[step]]
when = "verdict == 'killed'"
say = '''
Look for what ended {% if pid %}process {{ pid }}{% else %}the process{% endif %}: the driver only
cleaned up after it.
'''
run = ["dmesg -T | grep -iE 'killed process|segfault|oom'", "journalctl -b --grep {{ pid }}"]

# Is it the GPU after all?
[[step]]
when = "programs"
say = '''
Run one of the programs on another GPU: unrelated ones ({{ programs | names }}) fault on this GPU.
If it does not fault there, take {% if host %}{{ host }}{% else %}the node{% endif %} out and
diagnose the GPU.
'''
run = ["nvidia-smi -q -i {{ gpu | bus_id }}", "dcgmi diag -r 3"]

[[step]]
when = "same_unit and not programs"
say = '''
Run the same program on another GPU: all {{ bursts }} faults are in one unit of this GPU
({{ same_unit }}).
If it does not fault there, or other programs fault here, diagnose the GPU; else the fault is in the
program.
'''
run = ["nvidia-smi -q -i {{ gpu | bus_id }}", "dcgmi diag -r 3"]

[[step]]
when = "checker"
say = '''
Look at the indexes that {% if kernel %}{{ kernel.split('(')[0] }}{% else %}the kernel{% endif %} is
called with{% if source_file %} and computes at {{ source_file }}:{{ source_line }}{% endif %}: out
of range for the sizes of its tensors, or the memory was freed before.
'''
run = ["sed -n {{ [source_line - 8, 1] | max }},{{ source_line + 4 }}p {{ source_file }}"]

# Which kernel of the program?
[[step]]
when = "verdict == 'application' and xid in (13, 31, 43, 69) and not programs"
say = '''
Run again with these settings to find the kernel
{%- if access_type and 'WRITE' in access_type %} that wrote to {{ fault_address or 'that address' }}
{%- elif access_type and 'READ' in access_type %} that read from
{{ fault_address or 'that address' }}
{%- endif %}: the stack of the failing call is then the right one, and the GPU leaves a core dump
for cuda-gdb. Look at indexes out of range, custom kernels and library versions.
'''
run = ["export CUDA_LAUNCH_BLOCKING=1", "export CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1"]

[[step]]
when = "verdict == 'application' and xid in (13, 31) and not programs"
say = '''
Put compute-sanitizer before the command of one rank if that does not name the kernel: it is slow,
but exact.
'''
run = ["compute-sanitizer --tool memcheck --target-processes all"]

[[step]]
when = "xid == 43 and xids == [43]"
say = "Look in the program's output for the CUDA error: the driver does not tell which it was."

[[step]]
when = "xid in (108, 137)"
say = '''
Find the rank that ended or failed first: its memory was gone when another GPU reached for it over
NVLink. If none did, look at the code that opens memory of other processes (CUDA IPC, symmetric
memory, NVSHMEM).
'''
run = ["nvidia-smi topo -p2p r", "nvidia-smi nvlink -e -i {{ gpu | bus_id }}"]

[[step]]
when = "xid == 109"
say = '''
Look for a kernel that never ends, for example one that spins on a flag of another rank: the GPU
could not be taken from it.
'''
run = ["export CUDA_LAUNCH_BLOCKING=1"]

[[step]]
when = "xid in (32, 80)"
say = '''
Run again; if it comes back on this GPU only, look for PCIe errors of its slot: commands arrived
there corrupted.
'''
run = [
  "lspci -vvs {{ gpu | bus_id if ':' in gpu else none }}",
  "dmesg -T | grep -iE 'aer|pcieport'",
]

[[step]]
when = "verdict == 'application' and xid not in (13, 31, 32, 43, 69, 80, 108, 109, 137)"
say = '''
Run again; if it comes back, run one rank under compute-sanitizer, and compare the versions of
driver and CUDA with those of a run that worked.
'''
run = ["export CUDA_LAUNCH_BLOCKING=1"]

[[step]]
when = "verdict == 'application' and (recovery_action or xid == 109)"
say = "Reset the GPU before the next job."
run = ["nvidia-smi --gpu-reset -i {{ gpu | bus_id }}"]

[[step]]
when = "vendor == 'amd' and not checker"
say = '''
Run again with these settings to find the kernel
{%- if error == 'page fault' %} that uses the bad address{% else %} that does not end{% endif %}.
'''
run = [
  "export AMD_SERIALIZE_KERNEL=3",
  "export HIP_LAUNCH_BLOCKING=1",
  "dmesg -T | grep -i amdgpu",
]

[[step]]
when = "vendor == 'intel'"
say = '''
Find the graph that was running: run again with these settings and read the logs in HABANA_LOGS.
{% if error == 'timeout' %}A rank that waits for another one in a collective times out like this
too: look for the rank that is missing.{% endif %}
'''
run = ["export LOG_LEVEL_ALL=3", "export HABANA_LOGS=/tmp/habana_logs"]

[[step]]
when = "vendor == 'intel_gpu'"
say = '''
Save the driver's dump of the hang before the node restarts, and run the program again with one
kernel at a time to find the one that does not end.
'''
run = [
  '''cat $(find -L /sys/class/drm /sys/class/devcoredump -maxdepth 2 -name error -o -name data)
> hang''',
  "export SYCL_UR_TRACE=1 ZE_SERIALIZE=2",
  "dmesg -T | grep -E 'i915|xe '",
]

[[step]]
when = "vendor == 'moore_threads'"
say = "Run again with one kernel at a time to find the one that does not end."
run = ["export MUSA_LAUNCH_BLOCKING=1", "dmesg -T | grep -i mtgpu"]
*/
from gpu_program_fault_nvidia
union all by name
from gpu_program_fault_amd
union all by name
from gpu_program_fault_gaudi
union all by name
from gpu_program_fault_checked
