/*
title = "Threads of one process are waiting for each other"
severity = "critical"
confidence = "probable"
status = "stable"
explains = [
  "hang.collective_timeout",
  "hang.log_silence",
  "divergence.stack",
  "network.peer_lost",
  "loss.rollback",
]
explains_same_place = ["hang.missing_rank"]
explains_other_ranks = ["crash"]
about = """
At least two threads of a process are acquiring a lock, and every thread that could release one is
waiting too. Or the only thread of a process wants a lock that nobody is left to release, as in a
pool worker that was forked while another thread held it. Or a sleeping thread holds the GIL, which
the main thread needs; or one thread wants the GIL, and the only other one that runs Python a mutex.
Or the one thread that somebody shows waits for a lock, and its holder is not shown.
Or every dumped process wants a lock file that none of them holds: the one that made it was killed,
or works on another machine. Or somebody interrupted a program that was waiting for such a file.
"""
summary = '''
{% set who = worker_pids or [0, 0] %}
{% if said %}
  The runtime of a process
  {%- if host %} ({{ host }}){% endif %} found threads that wait for each other
  ({{ said.rstrip(':') }})
{% elif worker_frame %}
  Pool {{ who | agree('worker', 'workers') }}
  {% if worker_pids %}{{ worker_pids | names }}{% endif %}
  {% if hosts %}({{ hosts | names }}){% endif %}
  {{ who | agree('is', 'are') }} waiting in {{ worker_frame }} for a lock that was held when
  {{ who | agree('it was', 'they were') }} forked; nobody is left to release it
{% else %}
  {% if rank is not none %}Rank {{ rank }}{% if host or pid %}
    ({% if host %}{{ host }}{% endif %}{% if host and pid %}, {% endif %}
    {%- if pid %}pid {{ pid }}{% endif %}){% endif %}
  {%- elif pid %}Process {{ pid }}{% if host %} ({{ host }}){% endif %}
  {%- else %}A process{% if host %} ({{ host }}){% endif %}{% endif %}:
  {% if interrupted %}
    {%- if processes > 1 %} with {{ (processes - 1) | count('other') }},{% endif %}
    it was waiting in {{ places[0] }} for a lock file when it was interrupted
  {% elif lock == 'file' %}
    {%- if processes > 1 %} with {{ (processes - 1) | count('other') }},{% endif %}
    it is waiting in {{ places[0] }} for a lock file that none of the dumped processes holds
  {% elif told or minutes %}
    its main thread is waiting for a lock in {{ places[0] }}
    {%- if minutes %}, {{ minutes }} min after faulthandler's timer was set
    {%- else %}, and somebody says that it hangs{% endif %}
  {% elif holder_not_shown %}
    {% if threads %}thread {{ threads[0] }}{% else %}the thread that is shown{% endif %} is waiting
    in {{ places[0] }} for
    {% if of_driver %}a lock of CUDA's driver{% elif lock == 'GIL' %}the GIL{% else %}a lock
    {%- endif %}; which thread holds it is not shown
  {% elif lock == 'GIL' %}
    thread {{ threads[0] }} sleeps in {{ places[0] }} holding the GIL, and the main thread is
    waiting for it in {{ places[1] }}
  {% elif lock == 'signal' %}
    a signal came while it held a lock in {{ places[0] }}, and the signal's handler is waiting for
    that lock
  {% elif threads | length == 1 %}
    {% if driver_threads %}its main thread{% else %}its only thread{% endif %} is waiting in
    {{ places[0] }} for a lock that nobody is left to release
    {%- if driver_threads %}: beside it there {{ driver_threads | agree('is', 'are') }} only
    {{ driver_threads | count('thread') }} of CUDA's driver, waiting for events{% endif %}
  {% elif of_gil %}
    thread {{ threads[0] }} is waiting for a lock in {{ places[0] }}, as it seems with the GIL, and
    {% for name in threads[1:] -%}
      {{ name }}{% if not loop.last %}, {% endif %}
    {%- endfor %} for the GIL in {{ places[1] }}; nobody else could release either
  {% else %}
    {{ threads | length }} threads are waiting for locks, and nobody else could release one:
    {% for place in places -%}
      {{ threads[loop.index0] }} in {{ place }}{% if not loop.last %}, {% endif %}
    {%- endfor %}
  {% endif %}
{% endif %}
'''
false_positives = """
A lock that is shared with another process (file lock, shared memory), or that a thread without
Python frames holds, counts as held by nobody.
"""
references = ["https://docs.python.org/3/library/threading.html#lock-objects"]

[[step]]
when = "said"
say = '''
Read the stacks below that line: they tell which lock each thread holds and which one it wants. Take
them in one order everywhere.
'''

[[step]]
when = "lock == 'file'"
say = '''
Find the lock file (lsof shows what is open; builds of torch extensions leave one named lock in the
folder of the extension, below ~/.cache/torch_extensions). If no process that made it is alive,
remove it and start again.
'''
run = ["ls -l /proc/{{ pid }}/fd", "find ~/.cache/torch_extensions -name lock"]

[[step]]
when = "lock == 'GIL' and not holder_not_shown"
say = '''
Make {{ places[0] }} release the GIL before it sleeps or waits (Py_BEGIN_ALLOW_THREADS,
py::gil_scoped_release, nogil in Cython); the native frames tell which call it is in.
'''
run = ["py-spy dump --native --pid {{ pid }}"]

[[step]]
when = "lock == 'signal'"
say = '''
Let the signal's handler do no more than set a flag or write into a pipe: whatever takes a lock
(malloc, logging, Python's own calls) may stop there for ever. Leave out profilers that work by a
timer's signal until then.
'''

[[step]]
when = "worker_frame"
say = '''
Start the pool with the start method spawn or forkserver, or before anything starts a thread
(logging handlers, tokenizers, OpenMP, gRPC). These workers never end by themselves: end the job.
'''
run = ["py-spy dump --native --pid {{ worker_pids[0] }}"]

[[step]]
when = "holder_not_shown"
say = '''
Print the stacks of all threads of the process: another one holds the lock, and what it waits for
is the cause. Do so twice: one that moves on only makes others wait.
'''
run = [
  '''gdb -p $(awk '/Tgid/ {print $2}' /proc/{{ threads[0] }}/status) -batch
-ex 'thread apply all bt' ''',
]

[[step]]
when = '''
lock == 'lock' and not worker_frame and not holder_not_shown and threads
and threads | length == 1'''
say = '''
Find out what held the lock when this process was forked, or which thread ended without releasing
it. Start child processes with spawn or forkserver, and take locks only in a with statement.
'''
run = ["ps -o pid,ppid,lstart,args -p {{ pid }}", "py-spy dump --native --locals --pid {{ pid }}"]

[[step]]
when = "of_gil"
say = '''
Release the GIL before {{ functions[0] }} takes its lock (Py_BEGIN_ALLOW_THREADS,
py::gil_scoped_release): who holds that lock asks for the GIL, in a callback into Python, say. Or
keep objects from being freed there whose end takes locks. The frames above it tell who calls it.
'''
run = ["py-spy dump --native --locals --pid {{ pid }}"]

[[step]]
when = "lock == 'lock' and threads and threads | length > 1 and not of_gil"
say = '''
Take the locks of {{ functions | names }} in one order everywhere, and hold none of them while
waiting for another thread. The local variables tell which lock each thread wants.
'''
run = ["py-spy dump --native --locals --pid {{ pid }}"]

[[step]]
when = "pid and not worker_frame"
say = '''
Keep the process before you end it: a core that is taken of it tells everything later.
'''
run = [
  "gcore -o core {{ pid }}",
  '''gdb -batch -ex thread\ apply\ all\ bt $(which python) core.{{ pid }}''',
]
*/
select
    evidence,
    case when rank is not null then [rank] end as ranks,
    case when host is not null then [host] end as hosts,
    [pid] as pids,
    pid,
    rank,
    list_transform(threads, lambda t:t.name) as threads,
    list_transform(threads, lambda t:t.function) as functions,
    list_transform(threads, lambda t:t.place) as places,
    kind as lock,
    of_gil,
    case
        when kind = 'GIL' or kind = 'lock' and len(threads) = 1 then 'possible' else 'probable'
    end as confidence
from stack_deadlock
union all by name
select
    evidence[:8] as evidence,
    hosts,
    pids,
    case when n = 1 then pids[1] end as pid,
    pids as worker_pids,
    function as worker_function,
    stands_in as worker_frame,
    [function] as functions,
    [stands_in] as places,
    'lock' as lock,
    'probable' as confidence
from stack_pool_lock
union all by name
select
    lines || coalesce(told, []) as evidence,
    ranks,
    hosts,
    pids,
    pids[1] as pid,
    case when len(ranks) = 1 then ranks[1] end as rank,
    n as processes,
    case when kind = 'file_lock' then 'file' else 'lock' end as lock,
    [function] as functions,
    [frame] as places,
    minutes,
    case when told is not null then true end as told,
    'warning' as severity,
    'possible' as confidence
from stack_standstill
where kind in ('file_lock', 'lock') and not exists (from stack_deadlock)
union all by name
select
    evidence,
    "at",
    ranks,
    hosts,
    case when len(ranks) = 1 then ranks[1] end as rank,
    n as processes,
    'file' as lock,
    [function] as functions,
    [frame] as places,
    true as interrupted,
    'warning' as severity,
    'possible' as confidence
from interrupted_lock
where not exists (from stack_dump)
union all by name
select
    evidence,
    case when host is not null then [host] end as hosts,
    [pid] as pids,
    pid,
    [thread] as threads,
    [function] as functions,
    [frame] as places,
    'lock' as lock,
    driver_threads,
    'possible' as confidence
from stack_lone_lock
where not exists (from stack_deadlock)
union all by name
select
    evidence,
    case when host is not null then [host] end as hosts,
    [thread] as threads,
    [function] as functions,
    [frame] as places,
    'lock' as lock,
    true as holder_not_shown,
    true as of_driver,
    [] as explains,
    'warning' as severity,
    'possible' as confidence
from stack_driver_lock
where not exists (from stack_deadlock)
union all by name
select
    evidence,
    case when host is not null then [host] end as hosts,
    case when thread is not null then [thread] end as threads,
    [function] as functions,
    [frame] as places,
    kind as lock,
    true as holder_not_shown,
    [] as explains,
    'warning' as severity,
    'possible' as confidence
from stack_thread_shown
where
    not exists (from stack_deadlock)
    and not exists (from stack_driver_lock)
    and not exists (from stack_lone_lock)
    and not exists (from stack_verdict)
    and not exists (from stack_standstill)
union all by name
select
    [line_at(file_id, line_no)] as evidence,
    case when host is not null then [host] end as hosts,
    case when pid is not null then [pid] end as pids,
    said,
    'definite' as confidence
from stack_mark
where kind = 'deadlock'
qualify row_number() over (partition by file_id order by line_no) = 1
