/*
title = "A limit of the system or of the user was reached"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["crash", "hang", "network.peer_lost", "loss.rollback"]
lasting = true
about = """
Too many open files, no more threads or processes, no more address space, no more contexts or keys
of a network card: a call failed because a limit (ulimit, cgroup pids.max, fs.file-max, firmware)
was reached, not because the machine is out of memory.
"""
false_positives = """
A program that tries a larger number of threads first and goes on with fewer prints the same.
"""
references = ["https://man7.org/linux/man-pages/man2/getrlimit.2.html"]

[[summary]]
when = "told"
say = '''
A limit was reached{% if limit %} ({{ limit }}){% endif %}: {{ told | cut(200) }}
'''

[[summary]]
when = "rlimit_nofile"
say = '''
The limit on open files is {{ rlimit_nofile }}{% if hosts %} on {{ hosts | names }}{% endif %}:
programs that look at every possible descriptor become slow
'''

[[summary]]
when = "limit == 'processor cores'"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}The processes{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %} may use {{ limit_value | count('processor core')
}}
{%- if workers %}, and {{ ranks | agree('its', 'their') if ranks else 'their' }} data loaders start
{{ workers | count('worker') }}{% endif %}
'''

[[summary]]
when = "limit == 'locked memory' and severity == 'warning'"
say = '''
The limit on locked memory is low{% if limit_value %} ({{ limit_value | size }}){% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %}
{%- if ranks %} ({{ ranks | ranks }}){% elif pids %} ({{ pids | names('pid') }}){% endif %}: RDMA
needs more
'''

[[summary]]
say = '''
{% if ranks %}{{ ranks | ranks | capital }}
{%- elif pids %}{{ 'Process' if pids | length == 1 else 'Processes' }} {{ pids | names }}
{%- else %}A process{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %}
{% if limit == 'open files' and errno == 'ENFILE' %}reached the system-wide limit on open files
{%- elif limit == 'open files' %}had too many open files
{%- if limit_value %} (the limit is {{ limit_value }}){% endif %}
{%- elif limit == 'processes and threads' %}could start no more threads or processes
{%- elif limit == 'memory mappings' %}could map no further file, however small
{%- elif limit == 'inotify watches' %}could get no more inotify watches
{%- elif limit == 'network card' %}{{ (ranks or pids or ['one']) | agree('was', 'were') }} refused
what the network card
{%- if path %} {{ path }}{% endif %} has a limited number of
{%- if command %} ({{ command }}){% endif %}
{%- elif limit == 'locked memory' %}could not get memory for RDMA
{%- if confidence == 'possible' %}, probably{% endif %} because of the limit on locked memory
{%- else %}was refused memory{% endif %}
{%- if syscall %}: {{ syscall }} failed{% if errno %} with {{ errno }}{% endif %}
{%- elif errno %} ({{ errno }}){% endif %}
{%- if path and limit != 'network card' %} on {{ path }}{% endif %}
{%- if times > 1 %}, {{ times }} times{% endif %}
'''

[[step]]
when = "rlimit_nofile"
say = '''
Set a usual limit where the container or service is started (LimitNOFILE of containerd or docker).
'''
run = ["ulimit -n 65536"]

[[step]]
when = "limit == 'processor cores' and not by_slurm"
say = '''
Give the job more processor cores, or start fewer workers: in a container, a batch system or a
virtual machine a process may use fewer than the machine has.
'''
run = ["nproc", "nproc --all"]

[[step]]
when = "limit == 'processor cores' and by_slurm"
say = '''
Give srun the number of cores itself: since Slurm 22.05 it does not take it over from sbatch. Then
count again what a process may use.
'''
run = [
  "srun --cpus-per-task=$SLURM_CPUS_PER_TASK …",
  "srun --cpus-per-task=$SLURM_CPUS_PER_TASK nproc",
]

[[step]]
when = "limit == 'open files' and errno == 'ENFILE'"
say = '''
Raise the limit of the whole system{% if hosts %} on {{ hosts | names }}{% endif %}, and find who
holds the files.
'''
run = ["cat /proc/sys/fs/file-nr", "sysctl -w fs.file-max=2097152"]

[[step]]
when = "limit == 'open files' and errno != 'ENFILE' and not rlimit_nofile"
say = '''
Raise the limit on open files where the job is started
{%- if limit_value %} above {{ limit_value }}{% endif %} (LimitNOFILE of the service, --ulimit
nofile of the container), and look for files that are never closed.
'''
run = ["ulimit -n 65536", "ls -l /proc/{{ pid }}/fd"]

[[step]]
when = "limit == 'open files' and errno != 'ENFILE' and not rlimit_nofile"
say = '''
If data loader workers hold them, use fewer workers, or share tensors through files:
torch.multiprocessing.set_sharing_strategy('file_system').
'''

[[step]]
when = "limit == 'processes and threads'"
say = '''
Raise the limit on processes where the job is started (LimitNPROC of the service, --pids-limit of
the container, pids.max of its cgroup), or start fewer: data loader workers and threads per process
count together for one user.
'''
run = ["ulimit -u", "ps -eLf | wc -l", "export OMP_NUM_THREADS=4"]

[[step]]
when = "limit == 'inotify watches'"
say = "Raise the number of inotify watches{% if hosts %} on {{ hosts | names }}{% endif %}."
run = ["sysctl -w fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024"]

[[step]]
when = "limit == 'memory mappings'"
say = '''
Raise the number of memory mappings that a process may have{% if hosts %} on {{ hosts | names }}
{%- endif %}, or share fewer and larger tensors: each one that is shared is a file that is mapped.
A limit on address space (ulimit -v) refuses small pieces as well.
'''
run = ["sysctl -w vm.max_map_count=1048576", "wc -l /proc/{{ pid }}/maps", "ulimit -v"]

[[step]]
when = "limit == 'network card'"
say = '''
Count who uses the network card{% if hosts %} of {{ hosts | names }}{% endif %}: each process that
opens it takes contexts, queues and memory keys, and processes of ended jobs keep theirs. Start
fewer processes there, let each use one card only, or give the card more in its firmware
(PF_LOG_BAR_SIZE).
'''
run = ["rdma resource show", "rdma resource show cm_id", "export UCX_NET_DEVICES=mlx5_0:1"]

[[step]]
when = "limit == 'locked memory'"
say = '''
Remove the limit on locked memory where the job is started: LimitMEMLOCK=infinity of slurmd or of
the container service, --ulimit memlock=-1 of docker.
'''
run = ["ulimit -l unlimited"]

[[step]]
when = "limit == 'memory'"
say = '''
See whether a limit on address space is set (ulimit -v) or the kernel may not overcommit, and raise
it or ask for less at once.
'''
run = ["ulimit -v", "sysctl vm.overcommit_memory", "grep -i commit /proc/meminfo"]
*/
with
    traced_limit as (select max_by(nofile, line_no) as nofile from open_files_limit),
    reached as (
        select
            "limit",
            mode(errno) as errno,
            max(number) as number,
            min_by(path, line_no) filter (path is not null) as path,
            mode(syscall) filter (syscall is not null) as syscall,
            bool_or(source = 'strace') as is_traced,
            bool_or(source like 'nccl%' or source = 'verbs') as is_refused,
            bool_and(source = 'kernel, ahead of time') as is_ahead,
            min_by(command, line_no) filter (command is not null) as command,
            bool_and(source = 'nccl, no reason') as is_without_reason,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list(distinct pid order by pid) filter (pid is not null) as pids,
            min(time) as "at",
            count(*) as times,
            list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence
        from refused_by_limit
        group by "limit"
    ),
    -- no failure: programs that walk through every possible descriptor, or keep a table of them,
    -- take long and much memory
    far_too_high as (
        select
            'info' as severity,
            [line_at(min_by(file_id, line_no), min(line_no))] as evidence,
            'open files' as "limit",
            'RLIMIT_NOFILE' as rlimit,
            max(nofile) as limit_value,
            max(nofile) as rlimit_nofile,
            list(distinct pid) filter (pid is not null) as pids
        from open_files_limit
        where nofile > 16777216 and syscall <> 'setrlimit'
        having count(*) > 0
    )
select
    evidence,
    "at",
    ranks,
    hosts,
    -- a low limit that nothing has failed of yet
    case
        when "limit" in ('locked memory', 'network card') and not is_refused then 'warning'
    end as severity,
    case
        when is_without_reason or is_ahead
        then 'possible'
        when is_refused or "limit" = 'network card'
        then 'probable'
        when "limit" = 'memory'
        then 'possible'
        when not is_traced and "limit" = 'processes and threads'
        then 'probable'
    end as confidence,
    "limit",
    errno,
    path,
    syscall,
    command,
    pids,
    case when len(pids) = 1 then pids[1] end as pid,
    case "limit" when 'open files' then nofile when 'locked memory' then number end as limit_value,
    case
        "limit"
        when 'open files'
        then 'RLIMIT_NOFILE'
        when 'processes and threads'
        then 'RLIMIT_NPROC'
        when 'locked memory'
        then 'RLIMIT_MEMLOCK'
        when 'memory'
        then 'RLIMIT_AS'
    end as rlimit,
    times
from reached
left join traced_limit on true
union all by name
from far_too_high
union all by name
-- One core for a rank and its data loader: all of them wait for each other. torch alone says so to
-- many a job that is fast enough.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence,
    case when bool_or(workers is null) then 'warning' else 'info' end as severity,
    case when max(workers) is null then 'probable' end as confidence,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'processor cores' as "limit",
    1 as limit_value,
    max(workers) as workers,
    nullif(exists (from job_scheduler as s where s.scheduler = 'slurm'), false) as by_slurm,
    ['perf.slowdown', 'hang.dataloader'] as explains
from visible_cores
where cores = 1 and coalesce(workers, 2) > 1
having count(*) > 0
union all by name
-- in words that no grammar knows
select
    evidence,
    "at",
    case
        when regexp_matches(message, '(?i)descriptor|open (?:files|handles)|E[MN]FILE')
        then 'open files'
        when regexp_matches(message, '(?i)memlock|locked')
        then 'locked memory'
        when regexp_matches(message, '(?i)thread|process|task|EAGAIN')
        then 'processes and threads'
    end as "limit",
    explains,
    told,
    confidence,
    otherwise
from told_cause
where what = 'limit'
