/*
title = "A communication library gave up"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["hang", "network.peer_lost", "crash.exception", "crash.signal", "loss.rollback"]
about = """
NCCL, RCCL or a plugin of theirs returned an error to the program, and this is the first warning of
the process that did so, where no rule of its own knows it: what it is about (class) and what it
names. Warnings of a process that went on are not reported, nor those that repeat what another
process told it. Where no warning was printed, only the kind of the error is known.
"""
false_positives = """
The warning was printed at the start, by something that the process went without, and the error came
much later without a warning of its own.
"""
references = [
  "https://github.com/NVIDIA/nccl/issues/2190",
  "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
  "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-debug",
]

[[summary]]
when = "message and not library"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}: communication{% else %}Communication{% endif %}
{%- if host %} on {{ host }}{% endif %} between ranks failed: {{ message | cut(200) }}'''

[[summary]]
when = "operation"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}: {% endif %}{{ library }} gets no further with
{{ operation }}, tries again, and suspects a hang: {{ message }}
'''

[[summary]]
when = "peer_ranks"
say = '''
{{ library }} gave up a barrier
{%- if ranks %} on {{ ranks | ranks }}{% endif %}: {{ peer_ranks | ranks }} did not come to it
'''

[[summary]]
when = "message"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% if host %} on {{ host }}{% endif %}: {{ library }}
gave up
{%- elif host %}{{ library }} gave up on {{ host }}
{%- if gpus %} ({{ gpus | names('GPU') }}){% endif %}
{%- else %}{{ library }} gave up{% endif %}: {{ message | cut(200) }}
{%- if source %} ({{ source }}){% endif %}
'''

[[summary]]
say = '''
{% if ranks %}{{ ranks | ranks | capital }}: {% endif %}{{ library }} gave up with
"{{ result }}"; its warning, which would say why, is not in this log
'''

[[step]]
when = "operation and setting"
say = '''
Give {{ setting }} a higher value on all ranks, as {{ library }} proposes. Where that only delays
it, one side posts more than the other takes: see which rank does not receive.
'''
run = [
  "export {{ setting }}=131072",
  "export FI_LOG_LEVEL=warn FI_LOG_PROV=cxi MPICH_OFI_CXI_COUNTER_REPORT=3",
  "py-spy dump --pid {{ pid }}",
]

[[step]]
when = "operation and not setting"
say = "See which rank does not take what the others send: its stack, and how its log ends."
run = ["py-spy dump --pid {{ pid }}"]

[[step]]
when = "library == 'NVSHMEM' and message and message.startswith('Peer GPU')"
say = '''
See how the GPUs{% if hosts %} of {{ hosts | names }}{% endif %} reach each other: on one host by
NVLink or PCIe with peer access, between hosts by a transport that this NVSHMEM was built with and
that finds its network card. Without one it cannot be started on more than one host.
'''
run = [
  "nvidia-smi topo -p2p r",
  "nvshmem-info -a",
  "export NVSHMEM_DEBUG=INFO NVSHMEM_REMOTE_TRANSPORT=ibrc",
]

[[step]]
when = "not message"
say = "Run again with this setting: NCCL then prints, before it gives up, what went wrong."
run = ["export NCCL_DEBUG=WARN"]

[[step]]
when = "class == 'echo' and peer_rank is not none"
say = '''
Read the log of rank {{ peer_rank }} first: that rank's service thread only told this process
that the call failed.
'''

[[step]]
when = "class == 'memory'"
say = '''
Look at the memory of {{ host or 'the host' }} and at the limits of the job: free memory, locked
memory (it should be unlimited), and the size of /dev/shm.
'''
run = ["ulimit -l", "free -h", "df -h /dev/shm", "cat /sys/fs/cgroup/memory.max"]

[[step]]
when = "nameless"
say = '''
Let NCCL share memory between the ranks of a host through files only: who made this segment gave it
no name, since it took memory of CUDA (cuMem) where this rank expects a file. Ranks near NUMA nodes
without memory, or in a container that hides them, differ in this from the others.
'''
run = ["export NCCL_CUMEM_HOST_ENABLE=0", "numactl -H"]

[[step]]
when = "class == 'file' and not nameless"
say = '''
Check that the process may open and map {{ path or 'the file that is named' }}
{%- if host %} on {{ host }}{% endif %}: its rights, room in /dev/shm, and whether the container
hides it (docker run --ipc=host --shm-size).
'''
run = ["ls -l {{ path }}", "df -h /dev/shm /tmp", "ulimit -n"]

[[step]]
when = "class == 'topology'"
say = '''
Compare what NCCL sees of the machine with what is there
{%- if host %} on {{ host }}{% endif %}: a container or virtual machine that hides
{{ path or '/sys' }}, or an XML file in NCCL_TOPO_FILE or NCCL_GRAPH_FILE that was made for another
machine.
'''
run = [
  "ls -l {{ path or '/sys/class/pci_bus' }}",
  "nvidia-smi topo -m",
  "env | grep -E 'NCCL_(TOPO|GRAPH)'; cat /etc/nccl.conf ~/.nccl.conf",
]

[[step]]
when = "class == 'driver'"
say = '''
Check that driver, CUDA, NCCL and its plugins{% if host %} of {{ host }}{% endif %} fit together,
and that the library it names can be loaded.
'''
run = [
  "nvidia-smi --query-gpu=driver_version --format=csv,noheader",
  "ldconfig -p | grep -E 'libnccl|libcuda|libnvidia-ml|libibverbs'",
]

[[step]]
when = "class == 'device' and library != 'NVSHMEM'"
say = '''
Look at the GPUs and their links{% if host %} of {{ host }}{% endif %}: kernel log, fabric manager
(or IMEX), and whether a small test of all GPUs of one host works.
'''
run = [
  "dmesg -T | grep -iE 'xid|nvlink|nvswitch'",
  "systemctl status nvidia-fabricmanager nvidia-imex",
  "all_reduce_perf -b 8 -e 128M -f 2 -g $(nvidia-smi -L | wc -l)",
]

[[step]]
when = "class == 'device' and ('NVLS' in message or 'ulticast' in message)"
say = "Or run without NVLink SHARP until the fabric is repaired."
run = ["export NCCL_NVLS_ENABLE=0"]

[[step]]
when = "library == 'oneCCL' and message and 'ze_ipc_exchange' in message"
say = '''
Start the processes with mpirun, whose variables tell oneCCL which of them share a host; started
otherwise, they must exchange their handles over sockets.
'''
run = ["export CCL_ZE_IPC_EXCHANGE=sockets", "env | grep -E '^(CCL|FI|PMI|MPI)_'"]

[[step]]
when = """class in ('transport', 'peer', 'start', 'time')
  and not (library == 'oneCCL' and message and 'ze_ipc_exchange' in message)"""
say = '''
Look at the other end first{% if peer %} ({{ peer }}){% elif peer_ranks %}
({{ peer_ranks | ranks }}){% elif peer_rank is not none %}
(rank {{ peer_rank }}){% endif %}: whether its process was alive, and how its log ends. Then at
the network between{% if device %} ({{ device }}){% endif %}.
'''
run = ["ip -br addr", "ibstat {{ device }}", "env | grep -E '^NCCL_|^UCX_|^FI_|^CCL_'"]

[[step]]
when = "library == 'NCCL' and message and message.startswith('NET/OFI ')"
say = '''
Nothing was sent yet: libfabric refused what the plugin asked for
{%- if host %} on {{ host }}{% endif %}. Look whether it finds the network cards, whether the
container may use them, and whether plugin and libfabric are of versions that fit together.
'''
run = ["fi_info -p efa", "ls -l /dev/infiniband", "ldconfig -p | grep -E 'libfabric|libnccl-net'"]

[[step]]
when = "class in ('usage', 'mismatch') and not (message and message.startswith('NET/OFI '))"
say = '''
Correct what the message names: a setting, or how the program calls the library. All ranks must run
the same code with the same settings.
'''
run = ["env | grep -E '^(NCCL|RCCL|TORCH_NCCL|UCX|FI|CCL)_'"]

[[step]]
when = "library == 'MPI' and class in ('internal', 'echo')"
say = '''
Run again with what MPI's own layers say in the log{% if host %}, and keep the output of
{{ host }}{% endif %}: they name the link and the peer. Then run a small test of the same size
without the program.
'''
run = [
  "export OMPI_MCA_pml_base_verbose=10 OMPI_MCA_btl_base_verbose=30",
  "export MPICH_OFI_VERBOSE=1 FI_LOG_LEVEL=warn",
]

[[step]]
when = "library == 'oneCCL' and message and 'pthread_create returns 22' in message"
say = '''
Let the worker threads run on cores that the process may use: 22 is EINVAL, which pthread_create
returns for a core outside its set. Leave CCL_WORKER_AFFINITY at auto or name such cores.
'''
run = ["taskset -cp $$", "export CCL_WORKER_AFFINITY=auto"]

[[step]]
otherwise = true
say = '''
Run again with this setting{% if host %} and keep the output of {{ host }}{% endif %}: the lines
before the warning show which step of {{ library if library in ('oneCCL', 'NVSHMEM') else 'NCCL' }}
it was.
Compare versions with the release notes.
'''
run = [
  """{% if library == 'oneCCL' %}export CCL_LOG_LEVEL=debug
  {%- elif library == 'NVSHMEM' %}export NVSHMEM_DEBUG=INFO NVSHMEM_DEBUG_SUBSYS=INIT,TOPO,TRANSPORT
  {%- else %}export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET,ENV{% endif %}""",
  "python -m torch.utils.collect_env",
]
*/
with
    cause as (
        select
            *,
            count(*) over () as times,
            row_number() over (
                order by
                    not is_proven,
                    class in ('echo', 'peer') nulls first,
                    time nulls last,
                    source is null,
                    file_id,
                    line_no
            ) as place
        from communication_failure
    ),
    leading_cause as (from cause where place = 1),
    alike as (
        select
            list(distinct w.rank order by w.rank) filter (w.rank is not null) as ranks,
            list(distinct w.host order by w.host) filter (w.host is not null) as hosts,
            -- those that did not come to a barrier, whose threads wait each for another rank
            nullif(
                list_filter(
                    list(distinct w.peer_rank order by w.peer_rank) filter (
                        w.library = 'deepep' and w.peer_rank is not null
                    ),
                    lambda r: not list_contains(ranks, r)
                ),
                []
            ) as peer_ranks,
            list(
                line_at(w.file_id, w.line_no)
                order by w.library = 'deepep' and w.peer_rank is null, w.place
            )[:10] as evidence,
            min(w.time) as "at",
            max(w.time) as until
        from cause w
        join leading_cause f on left(w.message, 24) = left(f.message, 24)
    )
select
    a.evidence,
    a."at",
    a.until,
    a.ranks,
    a.hosts,
    case when f.host is not null and f.device_hint >= 0 then [f.device_hint::varchar] end as gpus,
    case
        when f.class in ('internal', 'echo') or f.class is null or not f.is_proven then 'possible'
    end as confidence,
    case
        f.library
        when 'oneccl'
        then 'oneCCL'
        when 'deepep'
        then 'DeepEP'
        when 'nccl_ep'
        then 'NCCL EP'
        when 'dapl'
        then 'uDAPL'
        when 'gni'
        then 'uGNI'
        else upper(f.library)
    end as library,
    f.class,
    f.message,
    f.source,
    -- NCCL prints it in every line, MPI only where it gives up
    case when f.library = 'mpi' or f.times = 1 then f.pid end as pid,
    f.peer,
    f.peer_rank,
    a.peer_ranks,
    f.path,
    case when regexp_matches(f.path, '/nccl-[^0-9A-Za-z]*$') then true end as nameless,
    f.device,
    f.error,
    f.times,
    null as result,
    null as severity
from leading_cause f
cross join alike a
where
    -- these have a rule of their own
    f.class is null
    or f.class not in ('peer', 'driver')
    and not (
        f.class in ('transport', 'time')
        and is_about_rdma(f.message, concat_ws(' ', f.library, f.source))
    )
union all by name
-- the error alone
select
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    coalesce(
        list(distinct host) filter (host is not null),
        -- torch names none; where all of NCCL's lines are one host's, this is one of them
        (select list(distinct host) from nccl_process having count(distinct host) = 1)
    ) as hosts,
    'possible' as confidence,
    coalesce(mode(library), 'NCCL') as library,
    mode(error) as result,
    count(*) as times,
    'warning' as severity
from c10d_nccl_error
where
    regexp_matches(
        error,
        '^(?:unhandled system error|internal error|invalid usage|invalid argument'
        || '|communicator was aborted)'
    )
    and not exists (from c10d_timeout_line)
    and not exists (from peer_loss)
    and not exists (from nccl_warning)
    and not exists (from c10d_nccl_error_detail where last_error is not null)
    and not exists (from nccl_socket where event not in ('connect_retry', 'stranger'))
    and not exists (from nccl_ib_error)
    and not exists (from nccl_shm_failure)
    and not exists (from nccl_usage)
    and not exists (from cuda_error)
    and not exists (from oom_event)
    and not exists (from fatal_exception where kind <> 'collective')
having count(*) > 0
union all by name
-- frames of an error on its way up, of which the warning was not printed or is cut off
select
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'possible' as confidence,
    'NCCL' as library,
    arg_min(text, (file_id, line_no)) as result,
    count(*) as times,
    'warning' as severity
from nccl_unwarned
having count(*) > 0
union all by name
-- its own word that it gets no further; once is not for good, and where steps go on it was not
select
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    case when count(*) = 1 then 'possible' end as confidence,
    library,
    arg_min(operation, (file_id, line_no)) as operation,
    arg_min(reason, (file_id, line_no)) as message,
    arg_min(setting, (file_id, line_no)) as setting,
    case when count(distinct pid) = 1 then any_value(pid) end as pid,
    count(*) as times
from library_stall l
where
    (
        select count(distinct m.step) < 2
        from metric m
        where m.file_id = l.file_id and m.line_no > l.line_no
    )
    and not ends_well_after(l.file_id, l.line_no)
group by library
union all by name
-- in the words of the program itself
select
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no)[:10] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    arg_min(text, (file_id, line_no)) as message,
    'possible' as confidence,
    count(*) as times
from communication_told
where kind = 'gave_up'
having count(*) > 0
union all by name
-- the watchdogs' last word, where it is all there is: after an error as after a timeout
select
    evidence,
    "at",
    until,
    ranks,
    hosts,
    'NCCL' as library,
    'operations have failed or timed out' as result,
    'possible' as confidence,
    'warning' as severity
from watchdog_last_word
where
    is_alone
    and not is_timeout
    and not exists (from timed_out_collective)
    and not exists (from stuck_watchdog)
    and not exists (from c10d_status_line)
