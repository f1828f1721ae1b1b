/*
title = "The host ran out of memory"
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
explains_same_place = ["gpu.application", "host.cpu_stall"]
transient = true
about = """
The kernel's OOM killer ended a process because the whole machine (or the NUMA nodes it may use) had
no memory left, a watcher did so before (earlyoom, systemd-oomd, Ray), or the program was refused
memory. The process named in "invoked oom-killer" only asked last; the victim is in the line "Killed
process".
"""
false_positives = """
Graded possible where only a data loader reports that its worker was killed: any SIGKILL looks so;
and for std::bad_alloc, which a wrong size gives too.
"""
references = ["https://docs.kernel.org/admin-guide/mm/concepts.html#oom-killer"]

[[summary]]
when = "kind == 'killed'"
say = '''
{{ hosts | names('host') | capital if hosts else 'The host' }} ran out of memory
{%- if numa_nodes %} on NUMA node{% if ',' in numa_nodes or '-' in numa_nodes %}s{% endif %}
{{ numa_nodes }}, the only {% if ',' in numa_nodes or '-' in numa_nodes %}ones{% else %}one
{%- endif %} the process may use{% endif %}:
{{ actor if actor == 'earlyoom' else 'the kernel' }} killed {{ process }} (pid {{ victim_pid }}
{%- if resident_bytes %}, {{ resident_bytes | size }} resident{% endif %})
{%- if victims > 1 %} and {{ (victims - 1) | count('more process', 'more processes') }}{% endif %}
'''

[[summary]]
when = "kind == 'killed_somewhere'"
say = '''
{{ 'Earlyoom' if actor == 'earlyoom' else 'The kernel' }} killed {{ process }} (pid
{{ victim_pid }}{% if resident_bytes %}, {{ resident_bytes | size }} resident{% endif %})
{%- if victims > 1 %} and {{ (victims - 1) | count('more process', 'more processes') }}{% endif %}
{% if hosts %} on {{ hosts | names }}{% endif %} for lack of memory; whether the machine or a
memory cgroup was full is missing from the log
'''

[[summary]]
when = "kind == 'guard'"
say = '''
The program ended itself{% if hosts %} on {{ hosts | names }}{% endif %}: host memory was nearly
full{% if reached_percent is not none %} ({{ reached_percent }} %){% endif %}
'''

[[summary]]
when = "kind == 'swap_full'"
say = '''
Memory and swap were nearly full{% if hosts %} on {{ hosts | names }}{% endif %}: systemd-oomd
killed {{ cgroup }}
'''

[[summary]]
when = "kind == 'ray'"
say = '''
Ray killed its workers{% if hosts %} on {{ hosts | names }}{% endif %}: memory was nearly full
{%- if used_bytes and total_bytes %} ({{ used_bytes | size }} of {{ total_bytes | size }})
{%- endif %}
'''

[[summary]]
when = "kind == 'unit_killed' and cgroup == '/'"
say = '''
The kernel's OOM killer killed a process{% if hosts %} on {{ hosts | names }}{% endif %}: the
machine as a whole was out of memory, no limit of a container
'''

[[summary]]
when = "kind == 'unit_killed'"
say = '''
The kernel's OOM killer killed a process of {{ cgroup }}{% if hosts %} on {{ hosts | names }}{%
endif %}; whether the machine or the
unit's limit was full is missing from the log
'''

[[summary]]
when = "kind == 'worker_killed'"
say = '''
Data loader {{ worker_pids | agree('worker', 'workers') }} {{ worker_pids | names }}
{%- if ranks %} of {{ ranks | ranks }}{% endif %}{% if hosts %} on {{ hosts | names }}{% endif %}
{{ worker_pids | agree('was', 'were') }} killed (SIGKILL), most likely by the OOM killer: no log
tells by whom
'''

[[summary]]
when = "kind == 'jvm_heap'"
say = '''
The heap of a JVM was full{% if hosts %} on {{ hosts | names }}{% endif %}: a limit of its own, the
host may have memory left
'''

[[summary]]
when = "kind == 'refused'"
say = '''
{{ {'pytorch': 'PyTorch', 'numpy': 'NumPy', 'jvm': 'The JVM', 'rust': 'A program in Rust',
'pinned': 'A program'}.get(actor, 'TensorFlow') }} could not get
{% if requested_bytes %}{{ requested_bytes | size }} of {% endif %}{% if actor == 'pinned' %}pinned
{% endif %}host memory{% if hosts %} on {{
hosts | names }}{% endif %}
{%- if ranks %} ({{ ranks | ranks }}){% endif %}
'''

[[summary]]
when = "kind == 'nothing_to_kill'"
say = '''
{{ hosts | names('host') | capital if hosts else 'The host' }} ran out of memory, and the
kernel found no process that it may kill
'''

[[summary]]
when = "kind == 'bad_alloc'"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}
{%- elif processes == 1 %}A process{% else %}{{ processes | count('process', 'processes') }}
{%- endif %}{% if hosts %} on {{ hosts | names }}{% endif %} could not get host memory in a C++
library and ended (std::bad_alloc)
'''

[[summary]]
when = "kind == 'exception'"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}The program{% endif %}{% if hosts %} on {{
hosts | names }}{% endif %} could not get
{% if requested_bytes %}{{ requested_bytes | size }} of {% endif %}host memory: {{ exception }}
{%- if message %} ({{ message | cut(120) }}){% endif %}
'''

[[summary]]
when = "kind == 'killed_by'"
say = '''
{% if pids %}Process {{ pids | names }}{% else %}A process{% endif %}{% if ranks %}
({{ ranks | ranks }}){% endif %}{% if hosts %} on {{ hosts | names }}{% endif %} was killed because
memory was nearly full: {{ message | cut(160) }}
'''

[[summary]]
when = "kind == 'told'"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}The program{% endif %}{% if hosts %} on {{
hosts | names }}{% endif %} could not get host memory: {{ message | cut(160) }}
'''

[[summary]]
when = "kind == 'cut_report'"
say = '''
The kernel's OOM killer was called{% if hosts %} on {{ hosts | names }}{% endif %}; the log ends
before it names the process that was killed,
or whether the machine or a cgroup was full
'''

[[step]]
when = "kind == 'killed' and numa_nodes"
say = '''
Let the ranks use other NUMA nodes, which may have had room: bind them to different nodes, or prefer
a node instead of insisting on it (a wider cpuset.mems, or --preferred for --membind).
'''
run = ["numastat -m", "numactl --preferred={{ numa_nodes }} python train.py"]

[[step]]
when = "kind == 'killed' and is_compiler"
say = "Run fewer compilers at once; one alone may need what this one held."
run = ["export MAX_JOBS=1"]

[[step]]
when = "kind == 'killed' and actor == 'kernel' and not top_holders"
say = "See in the report of the kernel's OOM killer who held the memory."
run = ["dmesg -T | grep -A 80 invoked", "journalctl -k --grep=oom-kill"]

[[step]]
when = "kind == 'killed_by' or kind == 'killed' and not is_compiler"
say = '''
Use less host memory{% if hosts %} on {{ hosts | names }}{% endif %}: fewer data loader workers,
smaller prefetch and caches, less offload to the CPU, checkpoints loaded by one rank at a time.
'''
run = ["ps -eo pid,user,rss,args --sort=-rss | head -20"]

[[step]]
when = "top_holders"
say = '''
Start with the largest holders:
{% for task in top_holders[:3] -%}
{{ task.process }} (pid {{ task.pid }}) with {{ task.resident_bytes | size }}
{%- if not loop.last %}, {% endif %}{% endfor %}.
'''

[[step]]
when = "kind in ('killed_somewhere', 'unit_killed', 'cut_report')"
say = '''
Get the rest of the kernel log{% if hosts %} of {{ hosts | names }}{% endif %}: the lines
"oom-kill:constraint=" and "Killed process" name the limit that was hit, the victim and the largest
holders.
'''
run = ["dmesg -T | grep -A 80 invoked", "journalctl -k --grep=oom-kill"]

[[step]]
when = "kind == 'guard'"
say = '''
Start again from the checkpoint it saved, and see whether memory grows over hours (a leak) or the
job needs that much: print the resident size of each process every hundred steps.
'''
run = ["ps -eo pid,rss,args --sort=-rss", "free -g"]

[[step]]
when = "kind == 'swap_full'"
say = '''
Use less memory in {{ cgroup }}: fewer data loader workers, smaller prefetch and caches. Everything
in that cgroup died with it; a unit of its own protects the job from its neighbours.
'''
run = ["systemd-run --user --scope -p ManagedOOMPreference=avoid ./train.sh"]

[[step]]
when = "kind == 'ray'"
say = '''
Give each task more memory (memory=, num_cpus), run fewer at once, or spread them over more nodes.
See what the object store holds.
'''
run = ["ray memory --stats-only"]

[[step]]
when = "kind == 'worker_killed'"
say = '''
Confirm it in the kernel log{% if hosts %} of {{ hosts | names }}{% endif %} and in the
scheduler's records; then use fewer workers or less prefetch.
'''
run = ["dmesg -T | grep -i killed", "journalctl -k --grep=oom-kill"]

[[step]]
when = "kind == 'jvm_heap'"
say = '''
Give the JVM a larger heap: -Xmx, or for Spark spark.driver.memory and spark.executor.memory, which
must fit into the host beside the rest. Otherwise use more and smaller partitions, and look in a
heap dump for what fills it.
'''
run = [
  "export JAVA_TOOL_OPTIONS='-Xmx16g -XX:+HeapDumpOnOutOfMemoryError'",
  "spark-submit --driver-memory 16g --executor-memory 16g YOUR_JOB",
]

[[step]]
when = "kind == 'refused' and not windows"
say = '''
Compare {% if requested_bytes %}the {{ requested_bytes | size }}{% else %}the request{% endif %}
with what the host can give; then load in pieces or memory-map, use fewer workers and ranks per
host, or ask for more memory.
'''
run = ["free -h", "ulimit -v", "sysctl vm.overcommit_memory vm.overcommit_ratio"]

[[step]]
when = "kind in ('refused', 'exception') and windows"
say = '''
Compare what the program asks for with what Windows commits: memory and page file together. Ask for
less at once, or let the page file grow.
'''
run = [
  "systeminfo | findstr Memory",
  "Get-CimInstance Win32_PageFileUsage",
  "Get-Process python | Sort-Object PagedMemorySize64",
]

[[step]]
when = "kind == 'nothing_to_kill'"
say = '''
Take the protection from the job (oom_score_adj -1000, from systemd's OOMScoreAdjust, the kubelet or
the shell that started it), raise the limit of its cgroup where the report names one (memory: usage,
limit), or use less. Until then the processes wait or fail.
'''
run = ["grep -rls -e -1000 /proc --include=oom_score_adj", "dmesg -T | grep failcnt"]

[[step]]
when = "kind == 'bad_alloc'"
say = '''
Compare what the host has with what the program held. Where there was room, a damaged file or a
wrong size was read: take a core dump and see who asked.
'''
run = ["free -h", "ulimit -v", "ulimit -c unlimited", "coredumpctl gdb"]

[[step]]
when = "kind == 'exception' and not windows"
say = '''
Compare what the host has with what the program asks for. A child that is forked needs room for what
its parent holds.
'''
run = ["free -h", "ulimit -v", "sysctl vm.overcommit_memory vm.overcommit_ratio"]
*/
with
    kernel_kill as (
        select
            case scope when 'unknown' then 'killed_somewhere' else 'killed' end as kind,
            case scope when 'unknown' then 'possible' end as confidence,
            evidence,
            first_time as "at",
            last_time as until,
            ranks,
            hosts,
            case when what like '%earlyoom' then 'earlyoom' else 'kernel' end as actor,
            victim_pid,
            process as victim,
            victim_pid as pid,
            process,
            anon_rss_bytes,
            shmem_rss_bytes,
            resident_bytes,
            total_vm_bytes,
            constraint_kind as "constraint",
            numa_nodes,
            task_memcg,
            invoker,
            victims,
            victim_pids,
            table_rss_pages,
            page_bytes,
            top_holders,
            case when is_compiler then true end as is_compiler
        from kernel_oom_incident
        where
            scope = 'host'
            or (
                scope = 'unknown'
                and not exists (from kernel_oom_incident where scope <> 'unknown')
                and not exists (from scheduler_event where event = 'oom_kill')
            )
    ),
    watcher_kill as (
        select
            case
                when reason = 'swap'
                then 'swap_full'
                when reason = 'ray'
                then reason
                else 'unit_killed'
            end as kind,
            case
                reason when 'kernel' then 'possible' when 'machine' then 'probable'
            end as confidence,
            list(line_at(file_id, line_no) order by file_id, line_no) as evidence,
            min(time) as "at",
            max(time) as until,
            list(distinct host) filter (host is not null) as hosts,
            case
                when reason = 'ray'
                then reason
                when reason = 'swap'
                then 'systemd-oomd'
                else 'kernel'
            end as actor,
            min(cgroup) as cgroup,
            max(used_bytes) as used_bytes,
            case reason when 'ray' then max(limit_bytes) end as total_bytes,
            -- others print the number of who tells
            case
                when reason = 'ray'
                then
                    coalesce(any_value(victim_pid), any_value(pid) filter (limit_bytes is not null))
            end as pid
        from oomd_kill as o
        where
            -- what is taken down once training came to its end, it does without
            reason in ('swap', 'ray')
            and not (o.reason = 'ray' and ended_well_before(o.file_id, o.line_no))
            or (
                reason in ('kernel', 'machine')
                and not exists (from kernel_oom_incident)
                and not exists (from scheduler_event where event = 'oom_kill')
            )
        group by reason
    ),
    worker_kill as (
        select
            'worker_killed' as kind,
            'possible' as confidence,
            list(line_at(file_id, line_no) order by file_id, line_no) as evidence,
            min(time) as "at",
            max(time) as until,
            list(distinct rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list(distinct worker_pid) as worker_pids
        from worker_killed w
        where
            signal_name = 'Killed'
            and not exists (
                from kill_explained k
                where k.for_memory or k.file_id <> w.file_id or k.line_no < w.line_no
            )
        having count(*) > 0
    ),
    -- one pinned piece that was refused says nothing: a pool that shrinks is refused many times
    pinned_or_not as (
        select *
        from host_allocation_failure
        qualify
            source <> 'pinned'
            or requested_bytes is null
            or count(*) over (partition by file_id, source, requested_bytes) >= 2
    ),
    refusal as (
        select
            case
                source
                when 'kernel'
                then 'nothing_to_kill'
                when 'c++'
                then 'bad_alloc'
                when 'jvm heap'
                then 'jvm_heap'
                else 'refused'
            end as kind,
            case
                source when 'kernel' then null when 'c++' then 'possible' else 'probable'
            end as confidence,
            list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
            min(time) as "at",
            max(time) as until,
            list(distinct rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            source as actor,
            max(requested_bytes) as requested_bytes,
            nullif(
                bool_or(
                    file_id in (
                        select x.file_id
                        from fatal_exception x
                        where regexp_matches(x.file, '^[A-Za-z]:\\')
                    )
                ),
                false
            ) as windows,
            case source when 'c++' then count(distinct(file_id, stream, pid)) end as processes
        from pinned_or_not
        where
            source <> 'c++'
            -- a C++ program ends so also when it asks for a size gone wrong; and where something
            -- else tells of the memory, this is its echo
            or not exists (from kill_explained where for_memory)
            and not exists (from host_allocation_failure where source <> 'c++')
            and not exists (from untold_memory where not of_device)
            and not exists (from oom_failure)
        group by source
    ),
    untold as (
        select
            case
                when is_kill then 'killed_by' when class is null then 'told' else 'exception'
            end as kind,
            case when is_kill then 'probable' else 'possible' end as confidence,
            list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
            min(time) as "at",
            max(time) as until,
            list(distinct rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            -- a service of the machine names itself where it tells of another
            case
                when is_kill
                then
                    list(distinct pid) filter (
                        pid is not null and not is_of_a_journal(host, pid, rank, message)
                    )
            end as pids,
            max(requested_bytes) as requested_bytes,
            class as exception,
            nullif(arg_min(message, line_no), '') as message
        from untold_memory
        where not of_device and not is_limit
        group by class, is_kill
    ),
    -- the head of a report without its end: the memory of something was full, and most often that
    -- of the machine
    cut_report as (
        select
            'cut_report' as kind,
            'possible' as confidence,
            list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
            min(time) as "at",
            max(time) as until,
            list(distinct host) filter (host is not null) as hosts,
            'kernel' as actor,
            min(process) as invoker
        from oom_report
        where
            not exists (from oom_kill)
            and not exists (from oom_victim)
            and not exists (from oom_limit)
            and not exists (from oom_cgroup_frame)
            and not exists (from oom_old_limit)
            and not exists (from kill_explained where for_memory)
            and not exists (from host_allocation_failure where source = 'kernel')
        having count(*) > 0
    )
from kernel_kill
union all by name
from watcher_kill
union all by name
from worker_kill
union all by name
from refusal
union all by name
from untold
union all by name
from cut_report
union all by name
from oom_host_guard
