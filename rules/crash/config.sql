/*
title = "The job was set up in a way that cannot work"
severity = "critical"
confidence = "probable"
status = "stable"
explains = [
  "crash.communication",
  "crash.exception",
  "hang",
  "network.peer_lost",
  "network.connect_failure",
  "network.ib_error",
]
about = """
The program refused its arguments, or failed before the first training step because a file, a
module, a permission, a port or a network interface is missing, because two ranks got one GPU, or
another process holds the TPU.
"""
false_positives = "A file that vanished during the run, where no training step is logged."
references = ["https://docs.python.org/3/library/argparse.html"]

[[summary]]
when = "told"
say = '''
{{ told | cut(300) }}
'''

[[summary]]
when = "event == 'port_taken'"
say = '''
{% if port %}Port {{ port }}{% else %}The port{% endif %} for the rendezvous store is already in use
{% if hosts %}on {{ hosts | names }}{% endif %}
'''

[[summary]]
when = "event == 'port_in_use'"
say = '''
{% if port %}Port {{ port }}{% else %}The port{% endif %} that
{% if ranks %}{{ ranks | ranks }}{% else %}the program{% endif %} wants to listen on is already in
use{% if hosts %} on {{ hosts | names }}{% endif %}
'''

[[summary]]
when = "event == 'duplicate_gpu'"
say = '''
{{ gpu_ranks | ranks | capital }}
{% if bus_ids %}share {{ bus_ids | length | count('GPU') }} (bus ids {{ bus_ids | join(', ') }})
{%- else %}use the same GPU (bus id {{ bus_id }}){% endif %}
'''

[[summary]]
when = "event == 'shared_gpu'"
say = "Several ranks use the same GPU{% if hosts %} on {{ hosts | names }}{% endif %}"

[[summary]]
when = "event == 'tpu_in_use'"
say = '''
Another process{% if holder_pid %} (pid {{ holder_pid }}){% endif %} holds the TPU
{%- if hosts %} of {{ hosts | names }}{% endif %}
{%- if on_cpu %}: the program runs on the CPU instead{% endif %}
'''

[[summary]]
when = "event == 'no_gpu'"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}The program{% endif %}
{%- if ranks | length > 1 %} see{% else %} sees{% endif %} no GPU
{%- if hosts %} on {{ hosts | names }}{% endif %}
'''

[[summary]]
when = "event == 'invalid_rank'"
say = "Rank {{ invalid_rank }} does not exist in a communicator of {{ nranks | count('rank') }}"

[[summary]]
when = "launched"
say = '''
The launcher is told of {{ launched | count('node') }}, but the job has {{ allocated }}
{%- if launched > allocated %}: it waits for nodes that never come{% endif %}
'''

[[summary]]
when = "event == 'not_started'"
say = "The program could not be run{% if hosts %} on {{ hosts | names }}{% endif %}: {{ message }}"

[[summary]]
when = "event == 'own_name'"
say = '''
gloo cannot resolve the name of its own host
{%- if hosts %} ({{ hosts | names }}){% endif %}: {{ message | cut(200) }}
'''

[[summary]]
when = "event == 'no_interface'"
say = "{{ program or 'NCCL' }} found no network interface to use: {{ message | cut(200) }}"

[[summary]]
say = '''
{% if ranks %}{{ ranks | ranks | capital }} could not start: {% endif %}{{ message | cut(300) }}
'''

[[step]]
when = "told"
say = '''
Correct what the message names, then start the job again.
'''

[[step]]
when = "event in ('port_taken', 'port_in_use')"
say = '''
Find the process that holds {% if port %}port {{ port }}{% else %}the port{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %}: another job, or one left behind by a job that
ended; end what was left behind.
'''
run = ["ss -ltnp sport = :{{ port }}"]

[[step]]
when = "event == 'port_taken'"
say = '''
Or give this job a port of its own: a free --master-port, or --rdzv-endpoint=localhost:0 on a
single node.
'''

[[step]]
when = "event in ('duplicate_gpu', 'shared_gpu')"
say = '''
Give each rank its own GPU: call torch.cuda.set_device(int(os.environ['LOCAL_RANK'])) before the
process group is made, and start no more processes on a host than it has GPUs.
'''
run = ["nvidia-smi -L", "env | grep -E 'CUDA_VISIBLE_DEVICES|LOCAL_RANK|SLURM_LOCALID'"]

[[step]]
when = "event == 'tpu_in_use'"
say = '''
Find the process that holds the TPU{% if hosts %} of {{ hosts | names }}{% endif %}: one that a job
before left behind, a notebook, or a second process of this job; end it, and the lock that it left
(/tmp/libtpu_lockfile).
'''
run = [
  "sudo lsof -w /dev/accel* /dev/vfio/*",
  "ps -o pid,user,etime,args -p {{ holder_pid }}",
  "ls -l /tmp/libtpu_lockfile",
]

[[step]]
when = "event == 'no_gpu'"
say = '''
Check that the job asked for GPUs (--gpus, --gres, limits of the pod), that CUDA_VISIBLE_DEVICES
names some that are there, and that the container is given them.
'''
run = ["nvidia-smi -L", "env | grep -E 'VISIBLE_DEVICES|SLURM_JOB_GPUS'"]

[[step]]
when = "event == 'invalid_rank'"
say = "Check how the ranks are numbered: RANK must be below WORLD_SIZE, counted from 0."
run = ["env | grep -iE '^rank|world_size|local_rank|procid|ntasks'"]

[[step]]
when = "event == 'own_name'"
say = '''
Give the name of {% if hosts %}{{ hosts | names }}{% else %}the host{% endif %} an address by which
the others reach it, in /etc/hosts or DNS: gloo looks its own host up, and getaddrinfo found
nothing. PyTorch can be given the interface instead (GLOO_SOCKET_IFNAME).
'''
run = ["getent hosts $(hostname)", "hostname -f", "cat /etc/hosts /etc/resolv.conf"]

[[step]]
when = "event == 'no_interface' and program == 'oneCCL'"
say = '''
Give oneCCL an interface that is up{% if hosts %} on {{ hosts | names }}{% endif %}: in a container
there may be the loopback only (docker run --network host), which its key-value store does not take.
'''
run = ["ip -br addr", "export CCL_KVS_IFACE=eth0 FI_TCP_IFACE=eth0", "env | grep -E '^(CCL|FI)_'"]

[[step]]
when = "event == 'no_interface' and not program"
say = '''
Set NCCL_SOCKET_IFNAME to an interface that is up{% if hosts %} on {{ hosts | names }}{% endif %},
or unset it.
'''
run = ["ip -br addr", "env | grep NCCL_SOCKET_IFNAME"]

[[step]]
when = "event is none and what == 'arguments' and program and program.endswith('.py')"
say = "Correct the argument; {{ program }} lists those it takes."
run = ["python {{ program }} --help"]

[[step]]
when = "event is none and what == 'arguments' and program and not program.endswith('.py')"
say = "Correct the argument; {{ program }} lists those it takes."
run = ["{{ program }} --help"]

[[step]]
when = "event is none and what == 'arguments' and not program"
say = '''
Correct the setting that the message names{% if file %}; it is read at {{ file }}:{{ line }}
{%- endif %}.
'''

[[step]]
when = "launched"
say = '''
Take the number of nodes from the allocation instead of writing it twice.
'''
run = ['torchrun --nnodes "$SLURM_NNODES" …', "scontrol show job $SLURM_JOB_ID | grep NumNodes"]

[[step]]
when = "what == 'command'"
say = '''
Load the environment of the program in the job's script (conda activate, module load, container),
and check that the script is there and executable{% if hosts %} on {{ hosts | names }}{% endif %}.
'''
run = ["type -a {% if command %}{{ command }}{% else %}python torchrun{% endif %}"]

[[step]]
when = "what == 'interpreter'"
say = '''
Compare what the job's environment says to Python{% if hosts %} on {{ hosts | names }}{% endif %}
with where that Python lies: PYTHONHOME and PYTHONPATH of another version or environment, a virtual
environment that was moved, or a locale that the host does not have keep it from starting.
'''
run = [
  "env | grep -E '^(PYTHON|VIRTUAL_ENV|CONDA|LANG|LC_)'",
  "python -I -c 'import sys; print(sys.prefix, sys.path)'",
]

[[step]]
when = "what == 'script'"
say = '''
Mend the script{% if line %} in line {{ line }} or before it{% endif %}: the shell found a quote, a
loop, a condition or a brace open there, or something that it cannot read at all. Its check names
the place without running anything.
'''
run = ["bash -n {{ program }}"]

[[step]]
when = "module"
say = '''
Install {{ module }} into the environment that the job uses{% if hosts %} on
{{ hosts | names }}{% else %}, on every host{% endif %}.
'''
run = ["which python", "python -m pip list"]

[[step]]
when = "package"
say = '''
Install {{ package }} into a library of R that the job looks into
{%- if hosts %} on {{ hosts | names }}{% endif %}: that of the R which its script loads.
'''
run = ["Rscript -e '.libPaths()'"]

[[step]]
when = "what == 'missing file' and not module and not package"
say = '''
Check that {% if path %}{{ path }}{% else %}the file{% endif %} exists
{% if hosts %}on {{ hosts | names }}{% else %}on every host, and inside the container{% endif %};
a relative path starts at the directory that the job was submitted from.
'''
run = ["ls -l {{ path }}", "pwd"]

[[step]]
when = "what == 'library' and 'last training process' in (message or '')"
say = '''
End what the run before left behind{% if hosts %} on {{ hosts | names }}{% endif %}, wait ten
seconds, and start again.
'''
run = ["npu-smi info", "pgrep -af python"]

[[step]]
when = "what == 'library' and 'last training process' not in (message or '')"
say = '''
Look whether the devices and their driver can be used
{%- if hosts %} on {{ hosts | names }}{% endif %}
by this user and inside the container: {{ program }} was refused them.
'''
run = ["nvidia-smi -L", "ls -l /dev/nvidia0 /dev/infiniband /dev/neuron0", "ibv_devices"]

[[step]]
when = "program in ('Lmod', 'module')"
say = '''
Load in the job's script what this machine has: a module may have another name or version, or show
only where another one is loaded before it.
'''
run = ["module avail", "module spider"]

[[step]]
when = "what == 'request' and program not in ('Lmod', 'module')"
say = '''
Ask for what the allocation and its partition have: tasks, processors, GPUs, memory and time of
{{ program or 'the job' }} against what the scheduler offers.
'''
run = ["sinfo -o '%P %l %D %c %m %G'", "scontrol show partition"]

[[step]]
when = "what == 'permission' and program == 'AWS'"
say = '''
Look at the role: it must exist, its trust policy must name the service that is to use it, and who
starts the job must be allowed to pass it on (iam:PassRole).
'''
run = ["aws sts get-caller-identity", "aws iam get-role --role-name ROLE"]

[[step]]
when = "what == 'permission' and program != 'AWS'"
say = '''
Give the job's user the right to use {% if path %}{{ path }}{% else %}the file{% endif %}: look at
the owner and the mode of every directory on the way to it.
'''
run = ["namei -l {{ path }}", "id"]
*/
with
    failure as (
        select
            what,
            min_by(message, line_no) as message,
            min_by(type, line_no) as type,
            any_value(event) as event,
            any_value(program) as program,
            any_value(file) as file,
            any_value(line) as line,
            list_sort(list_distinct(flatten(list(gpu_ranks)))) as gpu_ranks,
            case when count(distinct bus_id) = 1 then any_value(bus_id) end as bus_id,
            list(distinct bus_id order by bus_id) filter (bus_id is not null) as bus_ids,
            any_value(invalid_rank) as invalid_rank,
            any_value(nranks) as nranks,
            any_value(port) as port,
            any_value(holder_pid) as holder_pid,
            bool_or(on_cpu) as on_cpu,
            min(confidence) as confidence,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            min(time) as started,
            count(*) as times,
            max(attempt) as attempt,
            list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence,
            -- a program whose arguments are refused ends there: what is below is of later starts
            case
                when what = 'arguments' then - max(line_no) else min(file_id * 100000000 + line_no)
            end as place
        from config_error
        group by what, alike
    )
select
    evidence,
    started as "at",
    ranks,
    hosts,
    confidence,
    what,
    event,
    left(message, 1000) as message,
    type,
    program,
    file,
    line,
    -- the copy of the batch script that Slurm runs
    nullif(regexp_extract(program, '/job([0-9]+)/slurm_script$', 1), '') as job,
    times,
    port,
    holder_pid,
    on_cpu,
    case when event = 'duplicate_gpu' then gpu_ranks end as gpu_ranks,
    bus_id,
    case when len(bus_ids) > 1 then bus_ids end as bus_ids,
    invalid_rank,
    nranks,
    -- what it had started by then, it kills
    case
        when program = 'hydra'
        then ['crash.signal', 'crash.exception', 'crash.communication', 'hang', 'network']
        when event = 'no_interface'
        then ['crash.communication', 'crash.exception', 'crash.signal', 'hang', 'network']
        when is_of_another_start
        then ['crash.communication', 'crash.exception', 'network.connect_failure']
    end as explains,
    case when is_of_another_start or on_cpu then 'warning' end as severity,
    case
        when what = 'command'
        then
            coalesce(
                nullif(regexp_extract(message, '["`]([^"`\\]+)\\*["`]', 1), ''),
                nullif(regexp_extract(message, '(?:execve\(\)|execute): ([^:]+): ', 1), ''),
                nullif(regexp_extract(message, '([^ :]+): command not found', 1), '')
            )
    end as command,
    case
        when starts_with(message, 'ImportError') or contains(message, 'No module named')
        then
            coalesce(
                nullif(
                    regexp_extract(
                        message, 'No module named [''"]?([0-9A-Za-z_.-]*[0-9A-Za-z])', 1
                    ),
                    ''
                ),
                nullif(
                    regexp_extract(message, ' the ([0-9A-Za-z_. -]+?) librar(?:y|ies) but ', 1), ''
                ),
                nullif(regexp_extract(message, ' in your environment: ([0-9A-Za-z_.-]+)', 1), ''),
                nullif(
                    regexp_extract(message, ': ([0-9A-Za-z_.-]+) (?:is|was) not installed', 1), ''
                ),
                nullif(
                    regexp_extract(
                        message,
                        '\binstall (?:-[-A-Za-z]+ )*[''"`]?([A-Za-z][0-9A-Za-z_.-]*[0-9A-Za-z])',
                        1
                    ),
                    ''
                )
            )
    end as module,
    nullif(
        regexp_extract(message, 'no package called [^0-9A-Za-z]([0-9A-Za-z_.]+)', 1), ''
    ) as package,
    case
        when module is null and not contains(message, 'no package called')
        then
            coalesce(
                -- what cannot be made misses the folder that it is to be in
                nullif(
                    regexp_extract(
                        message, 'create file \(unable to open file: name = ''([^'']+)/[^/'']+''', 1
                    ),
                    ''
                ),
                nullif(regexp_extract(message, '''(/[^'']+|[^'' ]+\.[a-z0-9]+)''', 1), ''),
                nullif(regexp_extract(message, '([^\s:;]+); No such file or directory', 1), '')
            )
    end as path
from
    (
        select
            *,
            -- ranks that wait in a collective have met at a port before
            port is not null
            and exists (from c10d_timeout_line where source = 'watchdog') as is_of_another_start
        from failure
    )
-- of several starts the last counts
qualify row_number() over (order by confidence, attempt desc nulls last, place) = 1
union all by name
select
    evidence,
    'nodes' as what,
    launched,
    allocated,
    'probable' as confidence,
    -- it waited until its time was over
    ['host.preempted', 'hang', 'crash.exception', 'network'] as explains
from node_disagreement
union all by name
-- in words that no grammar knows
select evidence, "at", 'told' as what, message, explains, told, confidence, otherwise
from told_cause
where what = 'config'
