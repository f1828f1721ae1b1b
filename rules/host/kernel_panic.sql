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
held, so that the host is stuck soon after. A list or a count of references that is not what it must
be tells that the kernel's memory was overwritten: it goes on, and is stuck or crashes later, at any
other place.
"""
false_positives = """
A panic provoked on purpose (sysrq, a test of kdump). A wrong count of references in a driver that
has nothing to do with the processor that was stuck later.
"""
references = ["https://docs.kernel.org/admin-guide/bug-hunting.html"]

summary = '''
{% if host %}{{ host }}: {% endif %}
{%- if corrupted and not (panic or oops) %}the kernel's memory was corrupted
({{ message | cut(80) }})
{%- else %}kernel {{ 'panic' if panic else 'oops' }}: {{ message | cut }}{% endif %}
{%- if function %}, in {{ function }}{% if module %} of {{ module }}{% endif %}{% endif %}
{%- if corrupted and not (panic or oops) %}; a processor was stuck later
{%- elif corrupted %}; before, its memory was found corrupted ({{ corrupted | cut(80) }}){% endif %}
'''

[[step]]
when = "corrupted"
say = '''
Look at the first of these warnings{% if host %} of {{ host }}{% endif %}, not at what was stuck
later: the stack below it tells which driver frees or counts wrongly. Where it is another one on
each crash, test the memory of the machine.
'''
run = [
  "dmesg -T | grep -B 2 -A 30 -E 'list_(add|del) corruption|refcount_t|Bad page'",
  "ras-mc-ctl --errors",
]

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
when = "cause != 'memory' and (panic or oops)"
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
    -- the registers stand below the head of a report
    placed as (
        select
            e.*,
            -- below a warning it is the check itself
            e.kind <> 'corruption' as is_run,
            is_run and i.line_no - e.line_no < 60 as is_placed,
            case when is_placed then i.function end as function,
            case when is_placed then i.module end as module,
            case when is_run and t.line_no - e.line_no < 30 then t.task_pid end as runner_pid,
            case when is_run and t.line_no - e.line_no < 30 then t.process end as runner_name
        from kernel_event_of_boot e
        asof left join
            kernel_task t
            on t.file_id = e.file_id
            and coalesce(t.host, '') = coalesce(e.host, '')
            and e.line_no <= t.line_no
        asof left join
            kernel_ip i
            on i.file_id = e.file_id
            and coalesce(i.host, '') = coalesce(e.host, '')
            and e.line_no <= i.line_no
        where e.kind in ('panic', 'oops', 'corruption')
    ),
    harm as (
        select host, boot, time, file_id, line_no
        from placed
        where kind <> 'corruption'
        union all
        select host, boot, time, file_id, line_no
        from kernel_stall
        where kind in ('hard_lockup', 'soft_lockup', 'rcu_stall')
    ),
    -- where nothing was stuck or crashed later, the warning tells of no harm
    sign as (
        select *
        from placed e
        where
            kind <> 'corruption'
            or exists (
                from harm h
                where
                    h.host is not distinct from e.host
                    and h.boot = e.boot
                    and coalesce(h.time >= e.time, h.file_id = e.file_id and h.line_no > e.line_no)
            )
    ),
    crash as (
        select
            host,
            list(line_at(file_id, line_no) order by line_no)[1:20] as evidence,
            min(time) as "at",
            max(time) as until,
            coalesce(
                arg_min(message, line_no) filter (kind = 'panic'),
                arg_min(message, line_no) filter (kind = 'oops'),
                arg_min(message, line_no)
            ) as message,
            bool_or(kind = 'panic') as panic,
            bool_or(kind = 'oops') as oops,
            arg_min(message, line_no) filter (kind = 'corruption') as corrupted,
            -- the first, from which all that follows may come
            arg_min({'function':function, 'module':module}, line_no) filter (
                function is not null
            ) as place,
            arg_min({'pid':runner_pid, 'name':runner_name}, line_no) filter (
                runner_name is not null
            ) as runner,
            bool_or(
                kind = 'panic'
                and regexp_matches(message, 'deadlocked on memory|panic_on_oom|^Out of memory')
            ) as is_out_of_memory,
            count(*) as times
        from sign
        group by host, boot, case when host is null then file_id end
    )
select
    evidence,
    "at",
    until,
    case when host is not null then [host] else [] end as hosts,
    case when not panic and not oops then 'probable' end as confidence,
    case
        when corrupted is not null
        then ['host.cpu_stall', 'hang', 'network', 'host.node_lost', 'crash', 'loss.rollback']
    end as explains,
    message,
    panic,
    case when oops then true end as oops,
    corrupted,
    place.function as function,
    place.module as module,
    runner.pid as pid,
    runner.name as process,
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
