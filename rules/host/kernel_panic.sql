/*
title = "The kernel of a host crashed"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["hang", "network", "host.node_lost", "crash", "loss.rollback"]
explains_after = ["network.nic_fault", "network.link_flap"]
transient = true
about = """
A panic stops the host. An oops kills the task that was running in the kernel and often leaves locks
held, so that the host is stuck soon after.
"""
false_positives = "A panic provoked on purpose (sysrq, a test of kdump)."
references = ["https://docs.kernel.org/admin-guide/bug-hunting.html"]

summary = '''
{% if host %}{{ host }}: {% endif %}kernel {{ 'panic' if panic else 'oops' }}: {{ message | cut }}
'''

[[step]]
when = "cause == 'memory'"
say = '''
Use less host memory per node (data loader workers, caches, offload), or give the job a cgroup of
its own, so that only the job ends: the host had no memory left, and its kernel panics then
(vm.panic_on_oom, or nothing left to kill). The report of the OOM killer above the panic lists who
held how much.
'''
run = ["sysctl vm.panic_on_oom"]

[[step]]
when = "cause == 'stall'"
say = '''
Look for the lockup or the hung task that the kernel reported before: it panics for one, as it was
set to.
'''
run = ["sysctl -a | grep -E 'hung_task_panic|lockup_panic|panic_on_rcu_stall'"]

[[step]]
when = "cause == 'hardware'"
say = '''
Read the event log of the board management controller{% if host %} of {{ host }}{% endif %}: the
hardware stopped the kernel.
'''
run = ["ipmitool sel elist", "ras-mc-ctl --errors"]

[[step]]
when = "cause != 'memory'"
say = '''
Take {% if host %}{{ host }}{% else %}the node{% endif %} out of the pool and keep the dump, with
the versions
of kernel and drivers. Compare it with the {{ 'panics' if panic else 'oopses' }} of other nodes:
always the same function is software, another one each time is hardware.
'''
run = [
  "@drain ([host], 'kernel_crash')",
  "@leave_out [host]",
  "ls -l /var/crash /sys/fs/pstore",
  "uname -r",
  "cat /proc/driver/nvidia/version",
]
*/
with
    crash as (
        select
            host,
            list(line_at(file_id, line_no) order by line_no)[1:20] as evidence,
            min(time) as "at",
            max(time) as until,
            coalesce(
                arg_min(message, line_no) filter (kind = 'panic'), arg_min(message, line_no)
            ) as message,
            bool_or(kind = 'panic') as panic,
            bool_or(
                kind = 'panic'
                and regexp_matches(message, 'deadlocked on memory|panic_on_oom|^Out of memory')
            ) as is_out_of_memory,
            count(*) as times
        from kernel_event_of_boot
        where kind in ('panic', 'oops')
        group by host, boot, case when host is null then file_id end
    )
select
    evidence,
    "at",
    until,
    case when host is not null then [host] else [] end as hosts,
    message,
    panic,
    case
        when is_out_of_memory
        then 'memory'
        when panic and regexp_matches(message, 'hung_task|lockup|LOCKUP|RCU Stall')
        then 'stall'
        when panic and regexp_matches(message, '[Mm]achine check|NMI|[Hh]ardware error|PCIe')
        then 'hardware'
    end as cause,
    times
from crash
