/*
title = "The GPU runtime returned an error to the program"
severity = "critical"
confidence = "definite"
status = "stable"
explains = [
  "hang",
  "network.peer_lost",
  "network.connect_failure",
  "network.ib_error",
  "crash",
  "loss.rollback",
]
transient = true
explains_after = ["network.ib_error"]
about = """
The first error of the CUDA, HIP, Level Zero or Ascend runtime that each process printed; later
ones of the same process repeat it, because the context is lost with the first. Errors are reported
asynchronously: the line of Python that raises is usually not the one that caused it. Without a
kernel log it cannot be told whether the program or the GPU is at fault, except where the error
itself names the hardware.
"""
false_positives = "The program caught the error and went on (a probe of an optional feature)."
references = ["https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html"]

[[summary]]
when = "not kind"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}: a{% else %}A{% endif %} call of NCCL to the GPU runtime
failed; which error it was is not in this log
'''

[[summary]]
when = "kind"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% if host %} on {{ host }}{% endif %}:
{% elif hosts %}{{ hosts | names }}: {% endif %}
{{ cuda_error }}{% if cuda_error_code is not none %} ({{ cuda_error_code }}){% endif %}
{%- if assertion %}: assertion `{{ assertion }}` failed in
{% if kernel %}{{ kernel | cut(80) }} ({{ source }}:{{ line }}){% else %}a kernel{% endif %}
{%- else %}{% if meaning %}, {{ meaning }}{% endif %}{% if nccl_source %}, in NCCL
({{ nccl_source }}){% endif %}
{%- if pinned_host_memory %} (pinned memory of the host){% endif %}{% endif %}
'''

[[step]]
when = "not kind"
say = '''
Run again with this setting: NCCL then prints the error of the runtime and the call that failed.
'''
run = ["export NCCL_DEBUG=WARN"]

# The error itself names the hardware
[[step]]
when = "cuda_error_code in (214, 220, 226) or cuda_error == 'hipErrorECCNotCorrectable'"
say = '''
Take {% if hosts %}{{ hosts | names }}{% else %}the node{% endif %} out of the pool and run the job
again without {% if hosts | length > 1 %}them{% else %}it{% endif %}:
{% if cuda_error_code == 220 %}an NVLink of the GPU has an uncorrectable error
{%- elif cuda_error_code == 226 %}memory of the GPU or of its peer has an uncorrectable error
{%- else %}the memory of the GPU
{%- if ranks and ranks | length == 1 %} of {{ ranks | ranks }}{% endif %}
has an uncorrectable error{% endif %}.
'''
run = ["@leave_out hosts"]

[[step]]
when = "cuda_error_code in (214, 226) and api == 'cuda'"
say = '''
Look for Xid 48, 63, 64, 94 or 95 in the kernel log and at the ECC counters, then reset the GPU;
replace it (RMA) if rows could not be remapped.
'''
run = [
  "dmesg -T | grep -i xid",
  "nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT{% if gpu %} -i {{ gpu | bus_id }}{% endif %}",
  "nvidia-smi --gpu-reset -i {{ gpu | bus_id }}",
]

[[step]]
when = "cuda_error_code == 220"
say = "Look for Xid 74 or 144 to 150 in the kernel log and at the error counters of the links."
run = [
  "dmesg -T | grep -i xid",
  "nvidia-smi nvlink -e{% if gpu %} -i {{ gpu | bus_id }}{% endif %}",
  "nvidia-smi --gpu-reset -i {{ gpu | bus_id }}",
]

[[step]]
when = "cuda_error == 'hipErrorECCNotCorrectable'"
say = "Look for RAS errors in the kernel log and at the error counts of the GPU, then reboot."
run = ["dmesg -T | grep -iE 'amdgpu.*(ras|uncorrectable)'", "amd-smi metric --ecc"]

[[step]]
when = "cuda_error_code == 802"
say = '''
Start the fabric manager{% if hosts %} on {{ hosts | names }}{% endif %} and look at its log: a node
with NVSwitches does not initialise CUDA without it.
'''
run = ["systemctl restart nvidia-fabricmanager", "journalctl -u nvidia-fabricmanager"]

[[step]]
when = "cuda_error_code in (46, 100, 127, 304) and api == 'cuda'"
say = '''
See whether every GPU{% if hosts %} of {{ hosts | names }}{% endif %} is there, whether another
process holds
it in exclusive mode, and whether the kernel log has Xid 79 or 119.
'''
run = [
  "nvidia-smi -L",
  "printenv CUDA_VISIBLE_DEVICES",
  "nvidia-smi --query-gpu=pci.bus_id,compute_mode --format=csv",
  "nvidia-smi --query-compute-apps=gpu_bus_id,pid,name --format=csv",
  "dmesg -T | grep -E 'Xid|NVRM'",
]

# Memory
[[step]]
when = "kind == 'oom' and pinned_host_memory"
say = '''
Look at the free memory of the host, the limit of locked memory and that of the cgroup: not memory
of the card, but pinned memory of the host could not be had. Use fewer workers with pin_memory, or a
smaller offload buffer.
'''
run = ["free -h", "ulimit -l", "cat /sys/fs/cgroup/memory.max"]

[[step]]
when = "kind == 'oom' and not pinned_host_memory"
say = '''
Look for processes left over on the GPU, then for ECC errors: it was full or broken before the
program used it, and a smaller batch does not help.
'''
run = [
  "nvidia-smi --query-compute-apps=gpu_bus_id,pid,name,used_memory --format=csv",
  "nvidia-smi -q -d ECC,ROW_REMAPPER",
]

[[step]]
when = "cuda_error == 'HSA_STATUS_ERROR_OUT_OF_RESOURCES'"
say = '''
Look for amdgpu and kfd errors in the kernel log, and at the processes on the GPU and the limits:
the runtime could not get a queue, scratch memory or a signal for a kernel, and the card's memory
need not be full (the line says what was free). Run again with this setting to find the kernel.
'''
run = [
  "dmesg -T | grep -iE 'amdgpu|kfd'",
  "amd-smi process",
  "ulimit -n",
  "ulimit -l",
  "export AMD_SERIALIZE_KERNEL=3",
]

# The program
[[step]]
when = "kind == 'capture'"
say = '''
Find the call in the stack below: one that waits for the GPU, allocates outside the graph's pool or
uses another stream is not allowed while a graph is captured. Run it once before the capture, or run
without CUDA graphs.
'''

[[step]]
when = "kind == 'assert'"
say = '''
Check the indexes and labels that {% if kernel %}this kernel{% else %}the failing kernel{% endif %}
gets, on the CPU if possible: one is out of range. With this setting the stack names the call.
'''
run = ["export {{ 'AMD_SERIALIZE_KERNEL=3' if api == 'hip' else 'CUDA_LAUNCH_BLOCKING=1' }}"]

[[step]]
when = "kind == 'access' and api == 'cuda'"
say = '''
Run again with these settings to find the kernel: the stack of the failing call is then the right
one, and the GPU leaves a core dump for cuda-gdb. If that does not name it, put compute-sanitizer
before the command of one rank.
'''
run = [
  "export CUDA_LAUNCH_BLOCKING=1",
  "export CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1",
  "compute-sanitizer --tool memcheck --target-processes all",
]

[[step]]
when = "kind == 'access' and api == 'cuda'"
say = '''
Look for Xid 13 or 31 in the kernel log{% if hosts %} of {{ hosts | names }}{% endif %}: it tells
which GPU and
which process.
'''
run = ["dmesg -T | grep -i xid"]

[[step]]
when = '''
api == 'hip' and kind in ('fault', 'access') and cuda_error != 'HSA_STATUS_ERROR_OUT_OF_RESOURCES'
'''
say = '''
Look for page faults, ring timeouts and RAS errors in the kernel log
{%- if hosts %} of {{ hosts | names }}{% endif %}, and run again with these settings to find the
kernel.
'''
run = [
  "dmesg -T | grep -i amdgpu",
  "export AMD_SERIALIZE_KERNEL=3",
  "export HIP_LAUNCH_BLOCKING=1",
]

[[step]]
when = "api == 'level_zero'"
say = '''
Look for a GPU hang or reset in the kernel log. Intel's driver loses the device too where more
memory is asked for than there is: lower the batch and watch the memory.
'''
run = ["dmesg -T | grep -iE 'xe|i915'", "xpu-smi stats -d 0"]

[[step]]
when = "api == 'tpu'"
say = '''
Run the step again on another TPU host. If it halts there too, a check of the program itself fails
on the device (an index out of bounds, a kernel of your own); if not, have this host replaced.
'''

[[step]]
when = "api == 'acl' and kind in ('fault', 'access', 'hardware')"
say = '''
Read what the runtime of that process logged just before it (plog, debug and run), and look at the
health of the NPUs.
'''
run = ["ls -t ~/ascend/log/debug/plog | head", "npu-smi info"]

[[step]]
when = "kind == 'fault' and api == 'cuda'"
say = '''
Look for an Xid in the kernel log{% if hosts %} of {{ hosts | names }}{% endif %}: it tells whether
the GPU or
the program is at fault.
{%- if cuda_error_code == 702 %} A kernel ran longer than the watchdog of a GPU with a display
allows.
{%- endif %}
'''
run = ["dmesg -T | grep -i xid"]

[[step]]
when = "kind == 'fault' and api == 'cuda'"
say = "If there is none, run again with this setting: the stack then names the call that fails."
run = ["export CUDA_LAUNCH_BLOCKING=1"]

[[step]]
when = "kind == 'library'"
say = '''
Look for an earlier error of this process, and at the free memory of the GPU at that moment: a
library call often fails only because of one of them. With this setting the stack names the call.
'''
run = [
  "nvidia-smi --query-gpu=pci.bus_id,memory.used,memory.total --format=csv",
  "export CUDA_LAUNCH_BLOCKING=1",
]

# Versions
[[step]]
when = "kind == 'incompatible' and api != 'hip'"
say = '''
Compare what the program and its extensions were built for with the driver and the GPU
{%- if hosts %} of {{ hosts | names }}{% endif %}: they do not fit together.
'''
run = [
  '''python -c "import torch; print(torch.version.cuda, torch.cuda.get_arch_list())"''',
  "nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv",
]

# Arguments and settings
[[step]]
when = "cuda_error_code == 101"
say = "Compare the device the program asks for with those it is shown: an ordinal is too high."
run = ["printenv CUDA_VISIBLE_DEVICES", "nvidia-smi -L"]

[[step]]
when = "cuda_error_code == 217"
say = "See which GPUs can reach each other's memory: these two cannot."
run = ["nvidia-smi topo -p2p r"]

[[step]]
when = "cuda_error_code in (9, 701, 720, 912)"
say = '''
Find the kernel in the stack and lower what it is launched with (threads per block, registers,
shared memory, blocks): this GPU does not have as much.
'''
run = ["export CUDA_LAUNCH_BLOCKING=1"]

[[step]]
when = "cuda_error_code == 805"
say = "See whether the MPS daemon runs, and restart it."
run = ["echo get_server_list | nvidia-cuda-mps-control"]

[[step]]
when = "nccl_source and nccl_source.endswith('nvls.cc')"
say = '''
Run without NVLink SHARP, which NCCL was setting up over the NVSwitches
{%- if hosts %} on {{ hosts | names }}{% endif %}, and compare the fabric manager's version and
state with the driver's; a container or a virtual machine may not be allowed to use it.
'''
run = [
  "export NCCL_NVLS_ENABLE=0",
  "systemctl status nvidia-fabricmanager",
  "nvidia-smi -q | grep -i -A 3 fabric",
]

[[step]]
when = "nccl_source and not nccl_source.endswith('nvls.cc') and kind == 'config'"
say = '''
Read the lines of NCCL below it: they name the calls that led to it. What an older driver, a
container or a virtual machine does not offer can be switched off; the settings that NCCL saw are in
its log.
'''
run = [
  "export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV",
  "export NCCL_CUMEM_ENABLE=0",
  "nvidia-smi --query-gpu=name,driver_version,mig.mode.current --format=csv",
]

[[step]]
otherwise = true
say = "Find the call in the stack below: with this setting it is the one that fails."
run = ["export CUDA_LAUNCH_BLOCKING=1"]
*/
select
    list_concat(e.evidence, coalesce(a.evidence, [])) as evidence,
    -- who prints it may not say who it is; of one alone a launcher knows
    coalesce(
        e.ranks,
        n.ranks,
        case
            when e.processes = 1 and not is_labelled then lone_process(e.file_id, e.hosts).ranks
        end
    ) as ranks,
    case
        when is_nobody and n.hosts is null
        then
            -- where NCCL met the same error, in lines that name the host
            (
                select list(distinct f.host)
                from nccl_cuda_failure f
                where f.host is not null and lower(f.error) = lower(c.meaning)
                having count(distinct f.host) = 1
            )
        when is_nobody
        then n.hosts
        else e.hosts
    end as hosts,
    v.gpus,
    e."at",
    e.until,
    v.source as nccl_source,
    -- a library that could not make its handle, in a job whose memory is known to have run out, is
    -- an echo
    case
        -- of a wrong argument the exception tells, unless it is the runtime's own
        when
            e.kind = 'config'
            and not exists (
                from fatal_exception f
                where
                    f.kind = 'gpu'
                    and f.certain
                    and f.file_id = e.file_id
                    and f.line_no - e.line_no between -1 and 1
            )
        then 'warning'
        when
            (e.name like '%ALLOC%_FAILED' or e.kind = 'library' and e.name like '%NOT_INITIALIZED')
            and exists (from oom_failure where survived is null)
        then 'info'
        when
            e.kind = 'oom'
            and not e.is_pinned
            and exists (from oom_failure where because = 'no_numbers' and survived is null)
        then 'info'
        -- kernels of this library end themselves (trap) after a time-out
        when
            e.code = 719
            and exists (
                from library_message m
                where
                    m.library in ('deepep', 'nccl_ep')
                    and (m.file_id <> e.file_id or m.line_no < e.line_no)
            )
        then 'info'
        else 'critical'
    end as severity,
    case
        when e.kind in ('hardware', 'assert', 'access') then 'definite' else 'probable'
    end as confidence,
    e.name as cuda_error,
    e.name as error,
    e.code as cuda_error_code,
    c.meaning,
    e.kind,
    case when e.is_pinned and e.kind = 'oom' then true end as pinned_host_memory,
    -- a GPU that fails so has no memory to give either
    case
        when
            e.kind in ('fault', 'hardware')
            and exists (from oom_failure where because = 'held_nothing')
        then
            [
                'hang',
                'network.peer_lost',
                'network.connect_failure',
                'network.ib_error',
                'crash',
                'loss.rollback',
                'oom.foreign_process'
            ]
    end as explains,
    e.api,
    case when len(e.local_ranks) = 1 then e.local_ranks[1] end as local_rank,
    case when len(e.tasks) = 1 then e.tasks[1] end as task,
    case when e.processes = 1 then e.pids[1] end as pid,
    e.processes,
    a.assertion,
    a.kernel,
    a.source,
    a.line,
    (
        select min_by(upper(o.api) || ' error: ' || o.text, (o.file_id, o.line_no))
        from runtime_error o
        where o.name <> e.name and e.kind = 'hardware'
    ) as second_error,
    (
        select max(m.step) from metric m where m.file_id = e.file_id and m.line_no < e.line_no
    ) as iteration
from
    (
        select
            *,
            processes = 1
            and coalesce(len(ranks), 0) = 0
            and coalesce(len(hosts), 0) = 0
            and not is_labelled as is_nobody
        from
            (
                select *, local_ranks is not null or tasks is not null as is_labelled
                from runtime_error
            )
    ) e
left join device_assertion a on e.kind = 'assert'
-- the call was NCCL's own
left join
    lateral(
        select
            case
                when count(distinct f.host) = 1
                then
                    list(distinct f.device_hint::varchar order by f.device_hint::varchar) filter (
                        f.host is not null and f.device_hint >= 0
                    )
            end as gpus,
            case when count(distinct f.source) = 1 then any_value(f.source) end as source
        from nccl_cuda_failure f
        where
            f.level = 'WARN'
            and exists (
                select 1
                from gpu_error_code k
                where
                    k.name = e.name and (f.cuda_error = e.code or lower(f.error) = lower(k.meaning))
            )
    ) v
    on true
left join first_end n on e.is_nobody
left join gpu_error_code c on c.name = e.name
union all by name
-- the assertion alone
select
    evidence,
    ranks,
    "at",
    'critical' as severity,
    'definite' as confidence,
    'cudaErrorAssert' as cuda_error,
    'cudaErrorAssert' as error,
    710 as cuda_error_code,
    'assert' as kind,
    assertion,
    kernel,
    source,
    line
from device_assertion
where not exists (from runtime_error where kind = 'assert')
union all by name
-- NCCL gives up because of an error of the runtime, and the log does not say which
select
    list(line_at(e.file_id, e.line_no) order by e.file_id, e.line_no)[:20] as evidence,
    list_sort(list(distinct e.rank) filter (e.rank is not null)) as ranks,
    list(distinct e.host) filter (e.host is not null) as hosts,
    min(e.time) as "at",
    max(e.time) as until,
    'warning' as severity,
    'possible' as confidence,
    count(*) as processes,
    any_value(e.error) as error
from c10d_nccl_error e
where
    e.error like 'unhandled cuda error%'
    and not exists (from cuda_error)
    and not exists (from nccl_cuda_failure)
    and not exists (from nccl_usage)
    and not exists (from oom_event)
    and not exists (from nccl_shm_failure)
    and not exists (
        from kernel_event where kind not in ('link', 'bond_link', 'suppressed', 'removable')
    )
    and not exists (from fatal_exception where kind <> 'collective')
having count(*) > 0
