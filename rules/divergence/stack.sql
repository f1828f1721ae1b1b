/*
title = "A few ranks are elsewhere in the code"
severity = "critical"
confidence = "probable"
status = "stable"
about = """
The main threads of all ranks are compared by their path of calls, from the outside in, without
wrappers and helper threads. Most are waiting at one place (a collective, a store, a lock) and a few
are elsewhere. Where the few also wait for their peers, neither side is late: ranks took different
paths through the program. Two snapshots in which nothing moves make it sure. Dumps in which no rank
stands apart are reported as context.
"""
false_positives = """
One snapshot of a healthy job can catch a rank at work of its own (data, logging) while the others
wait for it.
"""
references = [
  "https://github.com/benfred/py-spy",
  "https://docs.pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications",
]

# Ranks that stand apart.
[[summary]]
when = "others"
say = '''
{% set who = ranks or pids or [0] %}
{% set failure = {
  'stopped': 'state T, stopped', 'no_answer': 'no answer', 'unreadable': 'state D, uninterruptible'
} %}
{% if ranks and not (ranks_guessed and pids) %}
  {{ ranks | ranks | capital }}
  {%- if hosts or pid %}
    ({% if hosts %}{{ hosts | names }}{% endif %}{% if hosts and pid %}, {% endif %}
    {%- if pid %}pid {{ pid }}{% endif %})
  {%- endif %}
{%- elif pids %}
  {{ pids | agree('Process', 'Processes') }} {{ pids | names }}
  {%- if hosts or ranks %}
    ({% if hosts %}{{ hosts | names }}{% endif %}{% if hosts and ranks %}, {% endif %}
    {%- if ranks %}probably {{ ranks | ranks }}{% endif %})
  {%- endif %}
{%- else %}
  A process of unknown rank
{%- endif %}
{%- if finding == 'undumped' %}
  {{ who | agree('has', 'have') }} no stack dump
{%- elif finding in failure and minority_frame %}:
  {% if failed_ranks %}{{ failed_ranks }}{% else %}one{% endif %} could not be dumped
  ({{ failure[finding] }}), {% if standing_ranks %}{{ standing_ranks }}{% else %}another{% endif %}
  is in {{ minority_frame.rstrip(',') }}
{%- elif finding in failure %}
  could not be dumped ({{ failure[finding] }})
{%- elif minority_frame %}
  {{ who | agree('is', 'are') }} in {{ minority_frame.rstrip(',') }}
{%- else %}
  {{ who | agree('is', 'are') }} elsewhere
{%- endif %}, while {{ others | count('other') }} {{ others | agree('is', 'are') }} waiting in
{{ majority_function }}
{%- if watched %}; its watchdog had seen no progress
{%- elif stands_still and minority_status and minority_status.startswith('active') %};
  it is at the same line in the last two dumps, as a busy loop would be
{%- elif stands_still %}; nothing moved between the last two dumps
{%- endif %}
{% if ranks_guessed and not pids %}(ranks guessed from the order of pids or hosts){% endif %}
'''

# No rank stands apart.
[[summary]]
when = "finding and processes and not kernels"
say = '''
{% set one = processes == 1 %}
Stacks of {{ processes | count('process', 'processes') }}
{%- if snapshots and snapshots > 1 %}, up to {{ snapshots }} dumps of each{% endif %}:
{% if finding == 'moving' %}the program goes on
{% elif finding == 'awaits_answer' %}
  {{ driver }} is waiting for an answer ({{ driver_function }})
  {%- if not one %}, its workers for the next request: the answer is on its way, or lost{% endif %}
{% elif finding == 'idle' %}
  {{ 'it is' if one else 'all are' }} idle in {{ functions | names }}, waiting for {{ waiting_for }}
{% elif finding == 'alone' %}
  {% if stands_in %}it is in {{ stands_in }}
  {%- else %}where it is cannot be told{% endif %}
  {%- if waiting_for %}, waiting for {{ waiting_for }}{% endif %}
{% elif finding == 'awaits_data' %}all are waiting for their data loaders
{% elif finding == 'same_wait' %}
  all are waiting at the same place, {{ functions | join(' or ') }}; stacks do not tell which rank
  is missing
{% elif finding == 'other_waits' %}
  all are waiting for their peers, but not at the same place:
  {% for p in places[:4] -%}
    {{ p.ranks | ranks }} in {{ p.function }} from {{ p.frame }}
    {%- if not loop.last %}; {% endif %}
  {%- endfor %}
  {%- if places | length > 4 %}; {{ places | length - 4 }} more{% endif %}
{% elif finding == 'same_place' %}
  all are at the same place{% if stands_in %}, {{ stands_in }}{% endif %}
  {%- if called_from %}, called from {{ called_from }}{% endif %}
{% else %}no rank stands apart in a way that proves a hang
  {%- if snapshots == 1 %}; dumps taken half a minute later would show who has not moved{% endif %}
{% endif %}
'''

# What the GPUs run, by cuda-gdb.
[[summary]]
when = "kernels"
say = '''
{{ processes | agree('The GPU of one process runs', 'The GPUs of several processes run') }}
{{ kernels | names }}
{%- if collective_kernels == 'all' %}: kernels of collectives, which are waiting for their peers
{%- elif collective_kernels == 'some' %}: who runs another kernel than NCCL's keeps the others
  waiting
{%- endif %} (cuda-gdb)
'''

[[step]]
when = "finding == 'stopped'"
say = '''
Find out what stopped process {{ failed_dump_pid }} (a debugger that is still attached, kill -STOP,
job control), then let it continue.
'''
run = [
  "grep -e State -e TracerPid /proc/{{ failed_dump_pid }}/status",
  "kill -CONT {{ failed_dump_pid }}",
]

[[step]]
when = "finding == 'unreadable'"
say = '''
See in which kernel function process {{ failed_dump_pid }} is, and what the kernel log says of its
disk, file system or driver. In state D it cannot be killed until the call returns.
'''
run = [
  "cat /proc/{{ failed_dump_pid }}/stack",
  "ps -o pid,stat,wchan:32,args -p {{ failed_dump_pid }}",
  "dmesg -T | tail -n 100",
]

[[step]]
when = "finding == 'no_answer'"
say = '''
See whether the process of {% if ranks %}{{ ranks | ranks }}{% else %}this dump{% endif %} still
exists, and whether it is stopped (state T) or uninterruptible (state D).
'''
run = [
  "ps -o pid,stat,wchan:32,args -p {{ failed_dump_pid or pid }}",
  "cat /proc/{{ failed_dump_pid or pid }}/stack",
]

[[step]]
when = "finding == 'undumped'"
say = '''
Dump {{ ranks | ranks }} too{% if host %}, on {{ host }}{% endif %}; where the process is gone, read
how it ended.
'''
run = ["py-spy dump --native --pid {{ pids[0] }}", "ps -o pid,stat,wchan:32,args -p {{ pids[0] }}"]

[[step]]
when = "finding == 'left_loop'"
say = '''
See why {% if ranks %}{{ ranks | ranks }}{% else %}this process{% endif %} left the loop before the
others: fewer batches in its share of the data, an early stop, a condition on its own loss.
'''

[[step]]
when = "finding == 'apart' and awaits_peers"
say = '''
Find the first frame where {% if ranks %}{{ ranks | ranks }} {{ ranks | agree('leaves', 'leave') }}
{% else %}this process leaves{% endif %} the path of the others, and the condition before it (rank,
data, exception, early exit): every rank must reach the same collectives in the same order.
'''

[[step]]
when = "finding == 'apart' and not awaits_peers and position_class in ['data-wait', 'data-load']"
say = '''
See what its data loading waits for{% if host %} on {{ host }}{% endif %}: the workers of the
loader, or the storage that they read from.
'''
run = ["py-spy dump --subprocesses --native --pid {{ pids[0] }}", "ls -l /proc/{{ pids[0] }}/fd"]

[[step]]
when = "finding == 'apart' and position_class == 'file-lock'"
say = "Find the process that holds the file lock, on a shared file system also on other hosts."
run = ["lslocks -o +BLOCKER", "ls -l /proc/{{ pids[0] }}/fd"]

[[step]]
when = "finding == 'apart' and position_class == 'network-read'"
say = "Find the server that it reads from, and see whether that answers."
run = ["ss -tnp | grep pid={{ pids[0] }},"]

[[step]]
when = "finding == 'apart' and position_class == 'lock-wait'"
say = "Find the thread that holds the lock: dump all threads with their native frames."
run = ["py-spy dump --native --locals --pid {{ pids[0] }}"]

[[step]]
when = "finding == 'apart' and minority_status and minority_status.startswith('active')"
say = '''
See whether {{ minority_function }} gets on: the local variables of two dumps, some seconds apart,
tell a loop that ends from one that does not.
'''
run = ["py-spy dump --locals --pid {{ pids[0] }}"]

[[step]]
when = '''
finding == 'apart' and stands_still and not awaits_peers
and not (minority_status and minority_status.startswith('active'))
and position_class not in ['data-wait', 'data-load', 'file-lock', 'network-read', 'lock-wait']
'''
say = '''
See which system call keeps {{ minority_function }} from returning{% if host %} on {{ host }}
{%- endif %}.
'''
run = ["py-spy dump --native --pid {{ pids[0] }}", "strace -f -y -T -p {{ pids[0] }}"]

[[step]]
when = '''
finding == 'apart' and majority_waiting_for == 'a file lock' and position_class != 'file-lock'
'''
say = '''
Find the process that holds the file lock that the others are waiting for: it is probably
{% if ranks %}{{ ranks | ranks }}{% else %}this one{% endif %}, in {{ minority_function }}.
'''
run = ["lslocks -o +BLOCKER", "ls -l /proc/{{ pids[0] }}/fd"]

[[step]]
when = "finding == 'apart' and not awaits_peers and not stands_still"
say = '''
Take a second dump 30 seconds later{% if host %} on {{ host }}{% endif %}: what has moved by then is
only slow.
'''
run = ["py-spy dump --native --pid {{ pids[0] }}"]

[[step]]
when = "finding == 'other_waits'"
say = '''
Compare the order in which these ranks enter their collectives: where groups overlap, all ranks must
use them in one order, and a branch that only some take must hold no collective. Flight Recorder
dumps tell which rank waits for whom.
'''

[[step]]
when = "finding == 'awaits_answer'"
say = '''
Take the same dumps some minutes later: the same stacks, and no token in the log meanwhile, mean
that the answer is lost.
'''
run = ["py-spy dump --pid {{ pids[0] }}"]

[[step]]
when = "finding == 'awaits_data'"
say = "Dump the workers of the data loaders too, twice: they or the storage keep all ranks waiting."
run = ["py-spy dump --subprocesses --native --pid {{ pids[0] }}"]

[[step]]
when = '''
finding in ['same_wait', 'same_place', 'unclear', 'alone'] and world_size and world_size > processes
'''
say = '''
Dump the {{ (world_size - processes) | count('rank') }} that
{{ (world_size - processes) | agree('has', 'have') }} no dump yet.
'''

[[step]]
when = "finding in ['same_wait', 'same_place', 'unclear']"
say = '''
Dump all ranks again, 30 seconds apart: only a rank that stays where it is can keep the others
waiting.
'''
run = ["py-spy dump --native --pid {{ pids[0] }}"]

[[step]]
when = "finding == 'gpu_kernels' and collective_kernels != 'all'"
say = "Find out which ranks launched {{ kernels | names }}, and what each of these kernels does."
*/
with
    verdict as (
        select
            *,
            case
                when list_contains(failures, 'absent')
                then 'undumped'
                when failures[1] in ('stopped', 'no_answer')
                then failures[1]
                when failures is not null
                then 'unreadable'
                when left_loop
                then 'left_loop'
                else 'apart'
            end as finding
        from stack_verdict
        -- Who has no dump while the others are in init is not elsewhere, but never came.
        where not (found = 'absent' and exists (from stack_init_wait))
    ),
    running_kernel as (
        select *, starts_with(kernel, 'nccl') or starts_with(kernel, 'rccl') as is_collective
        from gpu_kernel
        where state = 'Active'
    )
select
    v.finding,
    list_concat(
        list_concat(coalesce(v.lines, []), coalesce(v.heads, [])), v.waiting_lines[:4]
    ) as evidence,
    v.ranks,
    v.hosts,
    v.pids,
    v.world_size,
    -- A dump that is missing may be lost.
    case when v.finding = 'undumped' then 'warning' end as severity,
    case
        when v.finding = 'undumped' or v.passing or v.guessed and v.ranks is null
        then 'possible'
        when v.still or v.timed_out or v.failures is not null
        then 'probable'
        when v.processes <= 2
        then 'possible'
        else 'probable'
    end as confidence,
    v.function as minority_function,
    v.frame as minority_frame,
    v.suspect.decided.f as minority_call,
    v.suspect.class as position_class,
    v.found = 'other' as awaits_peers,
    v.suspect.status as minority_status,
    v.suspect.awaits as minority_waiting_for,
    frame_without_line(v.suspect.own) as minority_place,
    v.suspect.top.f as minority_top_function,
    v.suspect.step as minority_step,
    v.waiting as others,
    v.waiting_step as majority_step,
    v.awaits as majority_waiting_for,
    v.waiting_function as majority_function,
    v.waiting_top_function as waiting_function,
    v.waiting_frame as majority_frame,
    v.waiting_ranks,
    case
        when list_contains(v.failures, 'stopped')
        then 'T (stopped)'
        when list_contains(v.failures, 'no_stack')
        then 'D (uninterruptible)'
        when list_contains(v.failures, 'no_answer')
        then 'T (stopped), D (uninterruptible) or gone'
    end as process_state,
    v.failed_pids[1] as failed_dump_pid,
    case when v.mixed then v.failed_ranks end as failed_ranks,
    case when v.mixed then v.standing_ranks end as standing_ranks,
    (select pid_of_rank from stack_pid_of_rank) as pid_of_rank,
    v.still as stands_still,
    case when v.watched then true end as watched,
    case when v.guessed and v.ranks is not null then true end as ranks_guessed,
    a.last_step as last_step_logged,
    a.last_step + 1 as step
from verdict as v
left join stack_aftermath as a on a.last_step is not null
union all by name
select
    finding,
    -- Whoever waits for peers at a place of its own, in dump after dump, waits for each other; the
    -- stages of a pipeline are at places of their own by nature.
    case
        when
            finding = 'other_waits'
            and snapshots > 1
            and not (select is_pipeline or loose > 0 from stack_job)
            and len(
                list_filter(
                    places, lambda p:regexp_matches(p.function, 'send|recv|broadcast|barrier')
                )
            )
            = 0
        then 'warning'
        else 'info'
    end as severity,
    case when finding = 'other_waits' and snapshots > 1 then 'possible' end as confidence,
    evidence,
    ranks,
    hosts,
    pids,
    (select world_size from stack_world) as world_size,
    processes,
    snapshots,
    case when processes = 1 then class end as position_class,
    case when processes = 1 then innermost end as top_frame,
    case when processes = 1 then decided_function end as waiting_function,
    case when processes = 1 then own_function end as own_function,
    case when processes = 1 then cmdline end as cmdline,
    (select pid_of_rank from stack_pid_of_rank) as pid_of_rank,
    majority_function,
    case when finding in ('idle', 'same_wait') then functions end as functions,
    case when finding = 'other_waits' then places end as places,
    case when finding in ('alone', 'same_place') then function end as stands_in,
    case when finding = 'same_place' then called_from end as called_from,
    case when finding in ('idle', 'alone') then awaits end as waiting_for,
    case when finding = 'awaits_answer' then driver end as driver,
    case when finding = 'awaits_answer' then driver_function end as driver_function,
    case when finding in ('moving', 'idle') then true end as healthy
from stack_overview
union all by name
select
    'gpu_kernels' as finding,
    'info' as severity,
    count(distinct file_id) as processes,
    list_sort(list(distinct kernel))[:4] as kernels,
    case
        when bool_and(is_collective) then 'all' when bool_or(is_collective) then 'some' else 'none'
    end as collective_kernels,
    list(line_at(file_id, line_no) order by file_id, line_no)[:6] as evidence
from running_kernel
having count(*) > 0
