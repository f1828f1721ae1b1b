/*
title = "A processor or a task of a host was stuck"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["hang", "network.peer_lost", "perf.slowdown"]
transient = true
about = """
The kernel saw a processor that did not schedule (lockup, RCU stall), or a task that was blocked for
minutes (hung task). A hung task is nearly always a victim: of a file system that does not answer,
of a disk, of a driver; its stack tells of which. It explains a panic of its host where the kernel
says that it panics for this (hung_task_panic, softlockup_panic), and no other.
"""
false_positives = """
A virtual machine that was paused or migrated; a large dump or a memory hot-add; checkpoints to a
slow but healthy disk.
"""
references = [
  "https://docs.kernel.org/admin-guide/lockup-watchdogs.html",
  "https://docs.kernel.org/RCU/stallwarn.html",
]

summary = '''
{% if host %}{{ host }}: {% endif %}
{% if kind == 'hard_lockup' %}hard lockup of {{ device }}
{%- elif kind == 'soft_lockup' and not process %}work queues of {{ device }} were stuck for
{{ seconds | int }} s
{%- elif kind == 'soft_lockup' %}{{ device }} was stuck for {{ seconds | int }} s in {{ process }}
(pid {{ pid }}), a soft lockup
{%- elif kind == 'rcu_stall' %}RCU stall{% if device %} ({{ device }}){% endif %}:
{{ message | cut }}{% if process %}, in {{ process }} (pid {{ pid }}){% endif %}
{%- elif kind == 'blocked_task' %}{{ process }} (pid {{ pid }}) was in uninterruptible sleep
{%- else %}{{ process }} (pid {{ pid }}) was blocked for more than {{ seconds | int }} s{% endif %}
{%- if waits_in %} in {{ waits_in }}{% if module %} of {{ module }}{% endif %}{% endif %}
{%- if times > 1 %}, {{ times }} reports{% endif %}
'''

[[step]]
when = "waits_for == 'file_server'"
say = '''
Look at the file server and the network to it, not at
{% if host %}{{ host }}{% else %}this host{% endif %}: {{ process or 'the task' }} is waiting for an
answer (in {{ module or waits_in }}).
'''
run = [
  "{% if module in ('mmfslinux', 'mmfs26') %}mmdiag --waiters{% endif %}",
  "{% if module in ('lustre', 'ptlrpc', 'osc', 'mdc') %}lfs check servers{% endif %}",
  "{% if module in ('nfs', 'nfsv3', 'nfsv4', 'sunrpc') %}nfsiostat 1 5{% endif %}",
  "{% if module == 'ceph' %}ceph -s{% endif %}",
  "dmesg -T | grep -iE 'server|not responding|evict|timed out'",
]

[[step]]
when = "waits_for == 'disk'"
say = '''
Look at the disks{% if host %} of {{ host }}{% endif %}: the task waits for one of them or for its
file system
({{ module or waits_in }}).
'''
run = ["dmesg -T | grep -iE 'I/O error|nvme|ata[0-9]'", "iostat -x 1 5"]

[[step]]
when = "waits_for == 'gpu'"
say = '''
Look for an error of the GPU driver{% if host %} on {{ host }}{% endif %}: the task waits in it
({{ module or waits_in }}).
'''
run = ["dmesg -T | grep -iE 'xid|nvrm|amdgpu'", "nvidia-smi"]

[[step]]
when = "waits_for == 'network'"
say = '''
Look at the network card{% if host %} of {{ host }}{% endif %}: the task waits in its driver
({{ module or waits_in }}).
'''
run = ["dmesg -T | grep -iE 'mlx5|infiniband|rdma'", "ibstat"]

[[step]]
when = "kind == 'hung_task' and not waits_for"
say = '''
Read the stack of {{ process }} in the kernel log: nfs_, ll_, ldlm_ and fuse_ mean a file server,
jbd2_ and xfs_ a disk, nv and uvm_ the GPU driver. If it is still blocked, see where it is now.
'''
run = ["dmesg -T | grep -A 30 'blocked for more than'", "cat /proc/{{ pid }}/stack"]

[[step]]
when = "kind != 'hung_task' and not waits_for"
say = '''
Read the stack in the kernel log: a driver in it is the suspect. Without one it is firmware,
microcode or a broken processor: take {% if host %}{{ host }}{% else %}the node{% endif %} out of
the pool.
'''
run = [
  "dmesg -T | grep -A 30 -iE 'lockup|rcu.*stall'",
  "ipmitool sel elist",
  "@leave_out [host]",
]
*/
with
    -- what hung days ago was another job's
    paused as (
        select
            *,
            coalesce(
                epoch(time) - lag(epoch(time)) over (partition by host, boot order by time, line_no)
                > 21600,
                false
            ) as after_pause
        from kernel_stall
    ),
    stall as (
        select
            * exclude (after_pause),
            sum(after_pause::int) over (partition by host, boot order by time, line_no) as episode
        from paused
        -- a file system that does not answer is no fault of the host
        anti join storage_wait using (file_id, line_no)
    ),
    host_stall as (
        select
            host,
            boot,
            episode,
            case when host is null then file_id end as own_file,
            arg_min(s, (weight, case when waits_in is null then 1 else 0 end, line_no)) as first,
            max(seconds) as seconds,
            count(*) as times,
            list_sort(list(distinct kind)) as kinds,
            min(time) as "at",
            max(time) as until,
            list(line_at(file_id, line_no) order by weight, line_no)[1:20] as evidence,
            list_sort(list(distinct process) filter (process is not null))[1:10] as processes
        from stall s
        group by all
    )
select
    evidence,
    "at",
    until,
    case when host is not null then [host] else [] end as hosts,
    case
        when first.kind in ('hung_task', 'blocked_task') then 'warning' else 'critical'
    end as severity,
    case when first.kind = 'blocked_task' then 'possible' end as confidence,
    case
        when
            exists (
                from kernel_event_of_boot p
                where
                    p.kind = 'panic'
                    and p.host is not distinct from s.host
                    and regexp_matches(p.message, 'hung_task|lockup|LOCKUP|RCU Stall')
            )
        then ['hang', 'network.peer_lost', 'perf.slowdown', 'host.kernel_panic']
    end as explains,
    first.kind as kind,
    first.process as process,
    processes,
    first.pid as pid,
    seconds,
    first.device as device,
    first.message as message,
    first.waits_in as waits_in,
    first.module as module,
    first.waits_for as waits_for,
    kinds,
    times
from host_stall s
