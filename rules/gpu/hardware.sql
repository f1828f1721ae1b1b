/*
title = "A GPU, its memory, its links or its firmware failed"
severity = "critical"
confidence = "definite"
status = "stable"
explains = [
  "gpu.application",
  "gpu.cuda_error",
  "hang",
  "network",
  "divergence",
  "crash",
  "host.container",
  "host.preempted",
  "loss.rollback",
  "perf.slowdown",
]
transient = true
about = """
The driver reported a fault that no program causes: the GPU fell off the bus, its memory has an
uncorrectable error, its firmware stopped answering, an NVLink broke. All work on that GPU is lost;
every other rank of the job then waits for it or sees its connections close. Of several codes in one
burst (less than three minutes apart) the one that causes the others is named; 43, 45 and 154 only
follow.
"""
false_positives = """
The log is from an earlier boot, or from another time than the job; somebody reset the GPU or
unloaded the driver on purpose.
"""
references = [
  "https://docs.nvidia.com/deploy/xid-errors/",
  "https://docs.nvidia.com/deploy/gpu-debug-guidelines/",
]

[[summary]]
when = "kind == 'missing' and gpus_present is not none and gpus_expected is not none"
say = '''
{{ hosts | names }} {{ hosts | agree('has', 'have') }} {{ gpus_present | count('GPU') }} instead of
{{ gpus_expected }}: {{ 'one is' if gpus_expected - gpus_present == 1 else 'some are' }} missing
'''

[[summary]]
when = "kind == 'returned' and former_host"
say = '''
{{ gpus | length | count('GPU') }} of {{ former_host }}, which failed,
{{ 'is' if gpus | length == 1 else 'are' }} now in {{ hosts | names }}: the replacement is the same
hardware
'''

[[summary]]
when = "kind == 'returned'"
say = '''
{{ gpus | length | count('GPU') }}{% if hosts %} of {{ hosts | names }}{% endif %}
{{ 'stands' if gpus | length == 1 else 'stand' }} on the list of bad GPUs
'''

[[summary]]
when = "kind == 'missing' and gpus_present == 0"
say = "No GPU can be used on {{ hosts | names }}, while other hosts use theirs"

[[summary]]
when = "kind == 'missing'"
say = "{{ hosts | names }} {{ hosts | agree('has', 'have') }} fewer than {{ gpus_expected }} GPUs"

[[summary]]
when = "kind == 'pending' or kind == 'service' and remap_pending"
say = '''
GPU {{ pci }}{% if host %} on {{ host }}{% endif %}:
{% if retirement_pending %}pages of its memory are to be retired{% else %}a bad row of its memory is
to be replaced by a spare one{% endif %} at its next reset{% if xid %} (Xid {{ xid }}){% endif %}
'''

[[summary]]
when = "kind in ('xid', 'service', 'sxid')"
say = '''
{% if kind == 'sxid' %}NVSwitch {{ pci }}
{%- elif not pci %}A GPU{% elif pci.startswith('GPU') %}{{ pci }}{% else %}GPU {{ pci }}{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %}{% if ranks %} ({{ ranks | ranks }}){% endif %}:
{% if not in_words %}{{ 'SXid' if kind == 'sxid' else 'Xid' }} {{ root_code }},
{% endif %}{% if meaning %}{{ meaning }}{% else %}not in NVIDIA's catalogue{% endif %}
{%- if unit and part == 'nvlink' %} ({{ unit }}{% if link is not none %}, link {{ link }}{% endif %}
{%- if link_down_reason %}, reason {{ link_down_reason }}{% endif %})
{%- elif part in ('nvlink', 'nvswitch') and link is not none %} (link {{ link }})
{%- elif unit %} ({{ unit }}){% endif %}
{%- if bursts and bursts > 1 %}, {{ bursts }} times{% endif %}
'''

[[summary]]
when = "kind == 'no_handle'"
say = '''
{% if pci %}GPU {{ pci }}{% else %}A GPU{% endif %}{% if host %} on {{ host }}{% endif %}:
{% if meaning == 'rev ff' %}it does not answer on the PCI bus any more (rev ff)
{%- else %}nvidia-smi cannot reach it ({{ meaning }}){% endif %}
'''

[[summary]]
when = "kind == 'init_failed' and vendor == 'nvidia'"
say = '''
{% if pci %}GPU {{ pci }}{% else %}A GPU{% endif %}{% if host %} on {{ host }}{% endif %}:
the driver cannot initialise it ({{ meaning }})
'''

[[summary]]
when = "kind == 'port'"
say = '''
{{ gpus | names('GPU') }}{% if host %} on {{ host }}{% endif %}:
fatal PCIe error
{%- if device or is_unrecovered %} at {{ device or 'the port' }} above
{{ gpus | agree('it', 'them') }}{% endif %}
{%- if is_unrecovered %}, and the driver could not bring
{{ gpus | agree('it', 'them') }} back{% endif %}
'''

[[summary]]
when = "kind == 'bus_error'"
say = '''
{{ gpus | names('GPU') }}{% if host %} on {{ host }}{% endif %}:
{% if timed_out %}no answer over PCIe (completion timeout){% else %}uncorrectable PCIe error
{%- endif %}{% if lines > 1 %}, {{ lines }} times{% endif %}, and the driver could not recover
'''

[[summary]]
when = "kind == 'gsp_timeout'"
say = '''
{% if gpu_index is none %}A GPU{% else %}GPU {{ gpu_index }} (as the driver counts){% endif %}
{%- if host %} on {{ host }}{% endif %}: its firmware
({{ 'FSP' if 'FSP' in error else 'GSP' }}) does not answer the driver
'''

[[summary]]
when = "kind == 'status_lost'"
say = '''
{% if gpu_index is none %}A GPU{% else %}GPU {{ gpu_index }} (as the driver counts){% endif %}
{%- if host %} on {{ host }}{% endif %}:
{% if error == 'Reset required' %}the driver asks for a reset of it
{%- else %}the driver lost it from the bus{% endif %}
'''

[[summary]]
when = "kind in ('uncorrectable', 'replace', 'recovery')"
say = '''
GPU {{ pci }}{% if host %} on {{ host }}{% endif %}:
{% if kind == 'replace' %}its memory can no longer be repaired
{%- elif kind == 'recovery' %}it asks for recovery ({{ recovery }})
{%- else %}uncorrectable memory errors since its last reset{% endif %}, according to nvidia-smi
'''

[[summary]]
when = "kind == 'diagnosis'"
say = '''
{% if host %}{{ host }}: {% endif %}dcgmi diag failed{% if tests %}: {{ tests | names }}{% endif %}
{%- if diagnosis %} ({{ diagnosis }}){% elif gpu_indexes %} ({{ gpu_indexes | ranks('GPU') }})
{%- endif %}
{%- if busy %}, because the GPU was in use{% endif %}
'''

[[summary]]
when = "kind == 'unhealthy'"
say = '''
{% if host %}{{ host }}: {% endif %}DCGM's health watch finds
{% if gpu_indexes %}{{ gpu_indexes | ranks('GPU') }}{% else %}a GPU{% endif %} unhealthy:
{{ tests | names }}{% if diagnosis %} ({{ diagnosis }}){% endif %}
'''

[[summary]]
when = "vendor == 'amd'"
say = '''
{% if kind == 'hw_exception' and gpu %}The AMD GPU that ROCm counts as
{{ gpu | replace('node-', 'node ') }} of its host
{%- elif gpu %}AMD GPU {{ gpu | bus_id }}{% else %}An AMD GPU{% endif %}
{%- if host %} on {{ host }}{% endif %}{% if ranks %} ({{ ranks | ranks }}){% endif %}:
{% if kind == 'ras' %}uncorrectable hardware error{% if error %} {{ error }}{% endif %}
{%- elif kind == 'ras_count' %}uncorrectable hardware errors{% if unit %} in block
{{ unit }}{% endif %}
{%- elif kind == 'reset_failed' %}the driver could not reset it
{%- elif kind == 'init_failed' %}the driver cannot bring it up ({{ message }})
{%- elif kind == 'hw_exception' %}hardware exception ({{ message }})
{%- else %}
{%- if kind == 'copy_hung' %}its copy engine ({{ unit }}) did not end its work
{%- elif kind == 'scheduler_hung' %}the scheduler in its firmware stopped answering{% endif %}
{%- if was_reset and kind in ('copy_hung', 'scheduler_hung') %}, and {% endif %}
{%- if was_reset %}the driver reset it: all programs on it lost their memory{% endif %}
{%- endif %}
'''

[[summary]]
when = "kind == 'failed' and vendor == 'nvidia'"
say = '''
A GPU{% if hosts %} on {{ hosts | names }}{% endif %}
{%- if ranks %} ({{ ranks | ranks }}){% endif %}:
{{ error }}
'''

[[summary]]
when = "kind == 'told'"
say = '''
{% if gpus %}Accelerator {{ gpus | names }}{% else %}An accelerator{% endif %}
{%- if host %} on {{ host }}{% endif %}{% if ranks %} ({{ ranks | ranks }}){% endif %}:
{{ error | cut(160) }}
'''

[[summary]]
when = "vendor in ('aws', 'intel', 'intel_gpu')"
say = '''
{% if gpus %}{{ gpus | names(
{'aws': 'Neuron device', 'intel_gpu': 'Intel GPU'}.get(vendor, 'Gaudi card')) }}
{%- elif vendor == 'aws' %}A Neuron device{% elif vendor == 'intel_gpu' %}An Intel GPU
{%- else %}An accelerator of Intel{% endif %}
{%- if host %} on {{ host }}{% endif %}:
{% if kind == 'memory' %}uncorrectable error in its memory
{%- elif kind == 'failed' %}{{ error.removeprefix('NEURON_HW_ERR=') }}
{%- elif kind == 'not_usable' %}the driver cannot bring it up
{%- else %}its firmware does not answer{% endif %}
'''

# Out of the pool first: everything else can wait for the job that runs again.
[[step]]
when = "severity == 'critical' and vendor != 'aws' and xid != 94 and kind != 'scheduler_hung'"
say = '''
Take {% if hosts %}{{ hosts | names }}{% else %}its node{% endif %} out of the pool and run
the job again without {% if hosts | length > 1 %}them{% else %}it{% endif %}.
'''
run = [
  "@drain (hosts, 'gpu_xid_%s' | format(xid) if xid else 'gpu')",
  "@leave_out hosts",
]

# Xid 94
[[step]]
when = "nvlink_access_refused"
say = '''
Read the ECC counters: accesses over NVLink were refused at the same time (Xid 137). Without an
uncorrectable error there, a program reached for memory of another GPU that was gone: find the rank
that ended or failed first.
'''
run = ["nvidia-smi -q -d ECC -i {{ pci | bus_id }}"]

[[step]]
when = "xid == 94 and not nvlink_access_refused"
say = '''
Run the job again: the error was contained, only the program that read the bad memory was ended.
{% if hosts %}Leave {{ hosts | names }} out until the GPU is reset.{% endif %}
'''
run = ["@leave_out hosts"]

# What to look at, and keep, before a reset or a reboot clears it
[[step]]
when = "kind == 'xid' and part == 'bus'"
say = '''
Look for PCIe errors, loss of power and heat just before the fault, and save the driver's report: a
reboot clears it.
'''
run = [
  "lspci -vvs {{ pci | bus_id if ':' in pci else none }}",
  "dmesg -T | grep -iE 'aer|pcieport|thermal'",
  "ipmitool sel elist",
  "nvidia-bug-report.sh",
]

[[step]]
when = "kind in ('port', 'bus_error')"
say = '''
Reseat {{ gpus | names('GPU') }} and the riser or cable, check its power, and run a diagnosis;
exchange the GPU if the error comes again.
'''
run = [
  "{% if device %}lspci -vvs {{ device }}{% endif %}",
  "lspci -vvs {{ gpus[0] | bus_id }}",
  "dcgmi diag -r 3",
]

[[step]]
when = '''
kind in ('xid', 'uncorrectable', 'replace')
and (memory or part == 'memory') and not nvlink_access_refused
'''
say = "Look at the uncorrectable errors and at the rows that are remapped or could not be."
run = [
  "nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT -i {{ pci | bus_id }}",
  "nvidia-bug-report.sh",
]

[[step]]
when = "(sub_code_investigation or '').startswith('investigate_peer')"
say = '''
Look at the other end of{% if link is not none %} link {{ link }}{% else %} the link{% endif %}
first: this GPU only saw that the device there went down.
'''

[[step]]
when = "(sub_code_investigation or '').startswith('investigate_link_si')"
say = '''
Check the cables and connectors of{% if link is not none %} link {{ link }}{% else %} the
link{% endif %}:
its signal was lost.
'''

[[step]]
when = "(sub_code_investigation or '').startswith('investigate_sw')"
say = "Find out who took the link down: software or a person did, not a fault."

[[step]]
when = "(sub_code_investigation or '').startswith('sympathetic')"
say = "Look for another error of the fabric at that time: this one is usually its echo."

[[step]]
when = "kind == 'xid' and part == 'nvlink'"
say = '''
Look at the state and the error counters of the links{% if link is not none %}, first of link
{{ link }}
{%- endif %}, and at the other end for an Xid or SXid of its own.
'''
run = [
  "nvidia-smi nvlink -s -i {{ pci | bus_id }}",
  "nvidia-smi nvlink -e -i {{ pci | bus_id }}",
  "nvidia-bug-report.sh",
]

[[step]]
when = "kind == 'sxid' and root_code == 12028"
say = '''
Run the job again, and look at the GPU behind
{% if link is not none %}port {{ link }}{% else %}that port{% endif %}: it often asked for an
address that no peer has. Take the node out only if the error comes again.
'''
run = ["dmesg -T | grep -E 'S?Xid'"]

[[step]]
when = "kind == 'sxid' and root_code != 12028"
say = '''
See what the fabric manager says of the switch{% if link is not none %} and link
{{ link }}{% endif %}, and
look for an Xid of the GPU at the other end.
'''
run = [
  "journalctl -u nvidia-fabricmanager",
  "dmesg -T | grep -E 'S?Xid'",
  "nvidia-bug-report.sh",
]

[[step]]
when = "kind == 'xid' and part == 'power'"
say = '''
Check that the auxiliary power cable of GPU {{ pci }} is plugged in, and the power supplies.
'''
run = [
  "nvidia-smi -q -d POWER,PERFORMANCE -i {{ pci | bus_id }}",
  "ipmitool sdr type 'Power Supply'",
]

[[step]]
when = '''
kind in ('xid', 'gsp_timeout')
and (part in ('firmware', 'engine', 'c2c') or (not part and not memory))
'''
say = '''
Save the driver's report: a reset or a reboot clears what it tells.
{%- if not part and investigatory_action %} What is known of Xid {{ xid }}:
{{ investigatory_action.replace('_', ' ') }}.{% endif %}
'''
run = ["nvidia-smi -q -i {{ pci | bus_id }}", "nvidia-bug-report.sh"]

[[step]]
when = "kind in ('init_failed', 'no_handle') and vendor == 'nvidia'"
say = '''
Reboot {% if host %}{{ host }}{% else %}the node{% endif %}; if the GPU stays away, compare the
versions of driver and firmware with a healthy node, then reseat or replace it.
'''
run = ["dmesg -T | grep -E 'NVRM|Xid'", "cat /proc/driver/nvidia/version", "systemctl reboot"]

# How it recovers: as the driver asks, else as such faults do.
[[step]]
when = '''
recovery in ('Reset', 'Drain and Reset')
or (kind == 'gsp_timeout' or kind == 'xid' and part in ('memory', 'firmware', 'nvlink', 'engine'))
    and not recovery and not nvlink_access_refused
or kind == 'uncorrectable'
'''
say = '''
{% if recovery %}Reset the GPU, as the driver asks{% else %}Reset the GPU{% endif %}
{%- if xid == 94 %} at the next break{% endif %}, once nothing runs on it
{%- if memory or part == 'memory' %}: only then are bad rows replaced by spare ones{% endif %}.
If the reset fails, reboot{% if host %} {{ host }}{% endif %}.
'''
run = [
  "nvidia-smi -q -d PIDS -i {{ pci | bus_id }}",
  "nvidia-smi --gpu-reset -i {{ pci | bus_id }}",
]

[[step]]
when = "kind == 'sxid' and root_code != 12028 and severity == 'critical'"
say = "Stop all jobs on the node and reset all its GPUs and switches together."
run = ["nvidia-smi --gpu-reset", "systemctl restart nvidia-fabricmanager"]

[[step]]
when = '''
recovery == 'Reboot'
or kind == 'xid' and not recovery and (part in ('bus', 'c2c') or xid == 151)
'''
say = '''
Reboot {% if host %}{{ host }}{% else %}the node{% endif %}
{%- if recovery %}, as the driver asks{% elif xid == 79 %}: a GPU off the bus cannot be
reset{% endif %}.
If the GPU does not come back, switch the power off and on, then reseat it.
'''
run = ["systemctl reboot", "lspci -d 10de:"]

[[step]]
when = "recovery == 'Drain P2P'"
say = '''
Stop the jobs that use NVLink or peer-to-peer access with this GPU, as the driver asks, then read
again what it asks for.
'''
run = ["nvidia-smi -q -i {{ pci | bus_id }} | grep Recovery"]

[[step]]
when = "recovery == 'IMEX Domain Recovery'"
say = "Stop the jobs of the whole IMEX domain and restart the IMEX service on every node of it."
run = ["nvidia-imex-ctl -N", "systemctl restart nvidia-imex"]

# What it must pass before it comes back, and when it is to be replaced
[[step]]
when = '''
vendor == 'nvidia' and severity == 'critical' and not nvlink_access_refused
and kind not in ('diagnosis', 'unhealthy', 'replace', 'service', 'missing', 'returned')
'''
say = '''
Run a diagnosis before {% if host %}{{ host }}{% else %}the node{% endif %} goes back to the pool,
and the long one (hours) where the short one passes.
{% if unrepairable or xid == 64 %}Replace the GPU (RMA) where a remapping failure is reported.
{%- elif memory or part == 'memory' %}Replace the GPU (RMA) if a row could not be remapped or the
error comes again.
{%- elif part in ('nvlink', 'nvswitch') %}Replace cable or board if the same link fails again.
{%- elif part == 'bus' %}Reseat the GPU, then replace it (RMA), if it leaves the bus again.
{%- elif part == 'firmware' %}Update the driver if other GPUs do the same; replace the GPU (RMA) if
it is always this one.
{%- else %}Open a repair ticket if the fault comes again.{% endif %}
'''
run = ["dcgmi diag -r 3", "dcgmi diag -r 4"]

[[step]]
when = "unrepairable"
say = "Replace GPU {{ pci }} (RMA): its spare memory rows are used up."
run = ["nvidia-smi -q -d ROW_REMAPPER -i {{ pci | bus_id }}", "nvidia-bug-report.sh"]

[[step]]
when = "kind == 'diagnosis' and not busy"
say = '''
Run the failed {{ tests | agree('test', 'tests') }} once more, and open a repair ticket with the
output.
'''
run = ["dcgmi diag -r 3 -v", "nvidia-bug-report.sh"]

[[step]]
when = "kind == 'unhealthy'"
say = '''
Take {% if host %}{{ host }}{% else %}the node{% endif %} out, and run the diagnosis: the watch only
counts what went wrong while jobs ran.
'''
run = ["dcgmi health -c -j", "dcgmi diag -r 3", "nvidia-bug-report.sh"]

[[step]]
when = "kind == 'diagnosis' and busy"
say = '''
Run the diagnosis again with nothing else on {% if host %}{{ host }}{% else %}the node{% endif %}.
'''
run = ["nvidia-smi --query-compute-apps=gpu_bus_id,pid,name --format=csv", "dcgmi diag -r 3"]

[[step]]
when = "xid == 61"
say = "Update the driver and the VBIOS if it comes again; such a warning alone ends no job."

[[step]]
when = "kind == 'returned'"
say = '''
Leave {{ hosts | names }} out, and report the GPU by its UUID so that it is repaired, not passed on.
In a cloud, start the new machine before you give the bad one back. Log the UUIDs of every node at
its start, and compare them with a list of bad ones.
'''
run = [
  "@leave_out hosts",
  "nvidia-smi -q | grep UUID > nvidia-uuids.$(hostname).$(date +%F-%H%M).txt",
  "dcgmi diag -r 3",
  "nvidia-bug-report.sh",
]

[[step]]
when = "kind == 'missing' and gpus_present == 0"
say = '''
See whether the driver is loaded on {{ hosts | names }} and whether the job was given its GPUs there
(CUDA_VISIBLE_DEVICES, --gres, the container's --gpus).
'''
run = ["nvidia-smi -L", "env | grep -E 'VISIBLE_DEVICES|SLURM_JOB_GPUS'", "dmesg -T | grep NVRM"]

[[step]]
when = "kind == 'missing' and gpus_present != 0"
say = '''
See which one is gone and whether the bus still lists it; reboot {{ hosts | names }}, and reseat or
replace the GPU if it stays away. A node that was replaced may bring back the same bad GPU: keep a
list of their UUIDs.
'''
run = ["nvidia-smi -L", "lspci -d 10de:", "dmesg -T | grep -E 'NVRM|Xid'", "nvidia-bug-report.sh"]

[[step]]
when = "kind == 'pending' or kind == 'service' and 'reset' in (recommended_action or '')"
say = '''
{% if severity != 'critical' %}Let the job go on: this ends none. {% endif %}Reset the GPU
{% if severity != 'critical' %}at the next break{% else %}before the next job{% endif %} to make the
repair effective; replace it (RMA) if the remapping fails.
'''
run = [
  "nvidia-smi -q -d ECC,ROW_REMAPPER -i {{ pci | bus_id }}",
  "nvidia-smi --gpu-reset -i {{ pci | bus_id }}",
]

[[step]]
when = "kind == 'service' and 'ticket' in (recommended_action or '')"
say = '''
Let the job go on: this ends none. Open a service ticket for GPU {{ pci }}
{%- if host %} on {{ host }}{% endif %}.
'''
run = ["nvidia-smi -q -i {{ pci | bus_id }}", "nvidia-bug-report.sh"]

[[step]]
when = "vendor == 'amd' and kind in ('ras', 'ras_count')"
say = '''
Look at the error counts{% if memory %} and retired pages{% endif %} of the GPU, reboot
{% if host %}{{ host }}{% else %}the node{% endif %} and run a diagnosis (RVS); replace the GPU if
the error
comes again.
'''
run = [
  "amd-smi metric --ecc --ecc-blocks -g {{ pci | bus_id }}",
  "amd-smi bad-pages -g {{ pci | bus_id }}",
  "systemctl reboot",
]

[[step]]
when = "vendor == 'amd' and kind in ('reset_failed', 'hw_exception', 'reset', 'init_failed')"
say = '''
Reboot {% if host %}{{ host }}{% else %}the node{% endif %} and run a diagnosis (RVS)
{%- if kind == 'init_failed' %}; compare the versions of driver and firmware with a healthy node
{%- endif %}; replace the GPU if it fails again.
'''
run = ["dmesg -T | grep -i amdgpu", "systemctl reboot", "amd-smi list"]

[[step]]
when = "kind == 'copy_hung'"
say = '''
No kernel of a program runs on that engine: update the GPU's firmware and the amdgpu driver, and
replace the GPU if it hangs again.
'''
run = [
  "amd-smi firmware -g {{ pci | bus_id }}",
  "modinfo -F version amdgpu",
  "dmesg -T | grep -i amdgpu",
]

[[step]]
when = "kind == 'scheduler_hung'"
say = '''
Run the job again with the newest GPU firmware and amdgpu driver. If it hangs on
{% if host %}{{ host }}{% else %}this node{% endif %} only, take the node out and diagnose the GPU
(RVS); if it
hangs elsewhere too, look for a kernel that never ends.
'''
run = ["amd-smi firmware -g {{ pci | bus_id }}", "modinfo -F version amdgpu"]

[[step]]
when = "vendor == 'intel'"
say = '''
Reboot {% if host %}{{ host }}{% else %}the node{% endif %}, see that hl-smi lists all cards, and
run hl_qual
before it goes back to the pool. Open a repair ticket for a card that stays away.
'''
run = ["dmesg -T | grep -i habanalabs", "systemctl reboot", "hl-smi"]

[[step]]
when = "vendor == 'intel_gpu'"
say = '''
Restart {% if host %}{{ host }}{% else %}the node{% endif %}: the driver could not reset the GPU,
and no program can use it until then. Run its diagnostics before the node goes back to the pool.
'''
run = ["dmesg -T | grep -E 'i915|xe '", "systemctl reboot", "xpu-smi diag -d 0 -l 1"]

[[step]]
when = "vendor == 'aws'"
say = '''
Replace the instance{% if host %} {{ host }}{% endif %} (stop and start it, or terminate it): the
accelerator is broken.
'''
run = ["neuron-ls"]
*/
from gpu_failure_driver
union all by name
from gpu_repair_due
union all by name
from gpu_missing
union all by name
from gpu_returned
union all by name
from gpu_failure_firmware
union all by name
select * exclude (boot)
from gpu_failure_port
union all by name
from gpu_failure_state
union all by name
from gpu_failure_diagnosis
union all by name
from gpu_failure_amd
union all by name
from gpu_failure_accelerator
union all by name
from gpu_failure_told
