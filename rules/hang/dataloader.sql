/*
title = "A rank is waiting for its data loader, and the others are waiting for that rank"
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
The main thread of a rank is where the DataLoader waits for a batch of a worker process, while the
other ranks wait in a collective. Where the workers were dumped too, their place is the one that
matters: a lock inherited by fork, a read that does not return. Where all ranks wait for their
loaders, the workers must be seen to be stuck (two dumps in which none moves, locks that they wait
for), or somebody says that the program hangs, or a timer of minutes ran out over the dump. Or the
loader gave up, somebody interrupted the wait for its workers to end, or the log says that it gives
nothing.
"""
summary = '''
{% set who = ranks or pids or [0] %}
{% if message %}
  {% if ranks %}{{ ranks | ranks | capital }}{% else %}The program{% endif %} got no data from its
  loader, as the log tells: {{ message | cut(200) }}
{% elif dead_workers %}
  {{ dead_workers | count('child process', 'child processes') }} of a Python program
  {{ dead_workers | agree('is', 'are') }} dead (defunct)
  {%- if waiting_function %}, and it is waiting for the workers of its data loader in
  {{ waiting_function }}{% elif live_siblings %}, of {{ dead_workers + live_siblings }} that were
  started with it and had computed: most likely workers of its data loader, for which it waits
  {%- else %}, and somebody says that it hangs: most likely the workers of its
  data loader, for which it waits{% endif %}
{% elif seconds %}
  {% if ranks %}{{ ranks | ranks | capital }}{% else %}The program{% endif %}
  waited {{ seconds }} s for a batch of the data loader's workers, in vain
{% elif interrupted %}
  {% if ranks %}{{ ranks | ranks | capital }}{% else %}The program{% endif %} was
  interrupted while it waited for the workers of its data loader to end: they had been told to, and
  did not
{% elif others %}
  {% if ranks and not (ranks_guessed and pids) %}{{ ranks | ranks | capital }}
  {% elif pids %}{{ pids | agree('Process', 'Processes') }} {{ pids | names }}
  {% else %}A process{% endif %}
  {% if hosts %}({{ hosts | names }}
  {%- if ranks_guessed and pids %}, probably {{ ranks | ranks }}{% endif %})
  {%- elif ranks_guessed and pids %}(probably {{ ranks | ranks }}){% endif %}
  {{ who | agree('is', 'are') }} waiting for the data loader in {{ frame }}
  {%- if worker_frame and worker_pids %}, whose {{ worker_pids | unique | list | names('worker') }}
    {{ worker_pids | unique | list | agree('is', 'are') }}
    {{ 'waiting for a lock' if worker_wants_lock else 'stuck' }} in {{ worker_frame }}
  {%- endif %}; {{ others | count('other') }} {{ others | agree('is', 'are') }} waiting in
  {{ majority_function }}
  {% if ranks_guessed and not pids %}(ranks guessed from the order of pids or hosts){% endif %}
{% else %}
  {% if processes > 1 %}All {{ processes }} ranks are
  {% elif ranks %}{{ ranks | ranks | capital }} is
  {% elif pids %}Process {{ pids | names }} is
  {% else %}A process is{% endif %}
  waiting for the data loader in {{ waiting_function }}
  {%- if minutes %}, {{ minutes }} min after faulthandler's timer was set
  {%- elif not workers %}, and somebody says that the program hangs{% else %};
  {{ 'its worker is' if workers == 1 else 'all ' + (workers | count('dumped worker')) + ' are' }}
  {% if worker_wants_lock %}waiting for a lock in {{ worker_frame }}
  {%- else %}in {{ worker_frame }}, the same in two dumps{% endif %}
  {%- endif %}
{% endif %}
'''
false_positives = "A loader that is slow, not stuck, looks the same in one snapshot."
references = ["https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading"]

[[step]]
when = "dead_workers"
say = '''
Find out what ended {{ worker_pids | names('worker') }}: the kernel log tells of a kill for want of
memory or of a crash. Then start again: nobody wakes the one that waits.
'''
run = ["dmesg -T | grep -iE 'out of memory|segfault|killed process'", "df -h /dev/shm"]

[[step]]
when = "seconds"
say = '''
Dump the workers the next time, before the {{ seconds }} s are over. A lock in their frames was
held when they were forked: use multiprocessing_context='spawn'. A read or an open: test the storage
of the files it has open. If they are at work, a batch takes them that long: give it more time, or
more workers.
'''
run = ["pgrep -f YOUR_SCRIPT | xargs -I {} py-spy dump --native --pid {}"]

[[step]]
when = "interrupted"
say = '''
Dump the workers the next time, while they are waited for. They are told to end after the last
batch: what keeps them is a thread or a child of their own, a lock that was held when they were
forked, a queue that nobody empties, or a read that does not return.
'''
run = ["pgrep -f YOUR_SCRIPT | xargs -I {} py-spy dump --native --pid {}"]

[[step]]
when = "worker_frame and worker_wants_lock"
say = '''
A thread held this lock when the workers were forked, and nobody in them can release it: give the
DataLoader multiprocessing_context='spawn' or 'forkserver', or create it before anything starts a
thread. The native frames tell which lock it is.
'''
run = ["py-spy dump --native --pid {{ worker_pids[0] }}"]

[[step]]
when = "worker_frame and not worker_wants_lock"
say = '''
See what keeps {{ worker_frame }} from returning{% if host %} on {{ host }}{% endif %}. Native
frames that end in a lock: it was held when the workers were forked, use
multiprocessing_context='spawn'. Frames that end in a read or an open: test the storage of the files
it has open.
'''
run = [
  "py-spy dump --native --pid {{ worker_pids[0] }}",
  "cat /proc/{{ worker_pids[0] }}/stack",
  "ls -l /proc/{{ worker_pids[0] }}/fd",
]

[[step]]
when = """not worker_frame and not seconds and not message and not dead_workers
  and not interrupted"""
say = '''
Dump the workers of {% if ranks %}{{ ranks | ranks }}{% else %}this process{% endif %} too
{%- if host %}, on {{ host }}{% endif %}. If they are waiting for a lock, it was held when they were
forked: use multiprocessing_context='spawn'. If they are reading, look at the storage.
'''
run = ["py-spy dump --subprocesses --native --pid {{ pids[0] }}"]

[[step]]
when = "message"
say = '''
Dump the reading processes while it stands: frames that end in a lock, a read or a request tell what
they wait for. Then test the storage or the service that the data come from.
'''
run = ["pgrep -f YOUR_SCRIPT | xargs -I {} py-spy dump --native --pid {}"]

[[step]]
when = "not seconds and not message and not interrupted"
say = "Set DataLoader(timeout=300), so that the next time it fails with a message."
*/
with
    worker as (
        select
            list(pid order by pid) filter (pid is not null) as pids,
            mode(function) as function,
            mode(place) as place,
            bool_and(coalesce(wants_lock, false)) as wants_lock,
            list(line_at(file_id, own_line) order by pid) as lines
        from stack_worker
        where stuck
        having count(*) > 0
    ),
    data_wait as (
        select
            decided_function as function,
            line_at(file_id, coalesce(decided.line, thread_line)) as line
        from stack_rank
        where class = 'data-wait'
    )
select
    list_concat(
        list_concat(coalesce(w.lines, []), coalesce(v.lines, v.heads, [])), v.waiting_lines[:3]
    ) as evidence,
    v.ranks,
    v.hosts,
    v.pids,
    v.frame,
    w.pids as worker_pids,
    case when len(w.pids) = 1 then w.pids[1] end as worker_pid,
    w.function as worker_function,
    w.place as worker_frame,
    w.wants_lock as worker_wants_lock,
    v.function as waiting_function,
    v.world_size,
    v.waiting as others,
    v.waiting_function as majority_function,
    case when v.guessed and v.ranks is not null then true end as ranks_guessed
from stack_verdict as v
left join worker as w on true
where v.kind = 'dataloader'
union all by name
-- nobody waits in a collective: all wait for data
select
    list_transform(
        list_concat(s.worker_lines[:6], s.lines[:3]), lambda l:line_at(l.file_id, l.line_no)
    ) as evidence,
    case when not s.guessed then s.ranks end as ranks,
    s.hosts,
    s.pids,
    s.n as processes,
    s.workers,
    s.worker_pids,
    case when len(s.worker_pids) = 1 then s.worker_pids[1] end as worker_pid,
    s.worker_function,
    s.worker_place as worker_frame,
    s.worker_wants_lock,
    s.waiting_function,
    case when s.worker_wants_lock then 'critical' else 'warning' end as severity,
    case when s.worker_wants_lock then 'probable' else 'possible' end as confidence
from stack_starved as s
union all by name
-- nobody waits in a collective, no worker was dumped, and somebody says that it hangs
select
    lines || coalesce(told, []) as evidence,
    minutes,
    ranks,
    hosts,
    pids,
    n as processes,
    function as waiting_function,
    'warning' as severity,
    'possible' as confidence
from stack_standstill
where kind = 'dataloader' and not exists (from stack_starved)
union all by name
-- workers that are dead, in a table of processes
select
    list(line_at(file_id, line_no) order by file_id, line_no)[:6]
    || coalesce((select list(line) from data_wait), []) as evidence,
    list(distinct host) filter (host is not null) as hosts,
    list(distinct pid order by pid) as worker_pids,
    count(distinct pid) as dead_workers,
    (select any_value(function) from data_wait) as waiting_function,
    case when not exists (from data_wait) then 'warning' end as severity,
    case when exists (from data_wait) then 'probable' else 'possible' end as confidence
from process_state
where
    starts_with(state, 'Z')
    and regexp_matches(cmdline, '^\[(?:python|pt_data_worker|pt_main_thread)[0-9.]*\] ?<defun')
    and (exists (from data_wait) or exists (from hang_witness))
    and not exists (from stack_verdict)
    and not exists (from stack_starved)
having
    count(*) > 0
    and exists (
        from process_state
        where not starts_with(state, 'Z') and regexp_matches(cmdline, '\bpython[0-9.]* ')
    )
union all by name
-- nobody says that it hangs: some of several that computed alike are dead, and nobody took note
select
    list(line_at(file_id, line_no) order by file_id, line_no)[:6] as evidence,
    list(distinct host) filter (host is not null) as hosts,
    list(distinct pid order by pid) as worker_pids,
    count(distinct pid) as dead_workers,
    max(live) as live_siblings,
    'warning' as severity,
    'possible' as confidence
from
    (
        select
            z.file_id,
            z.line_no,
            z.host,
            z.pid,
            (
                select count(*)
                from process_state l
                where
                    l.file_id = z.file_id
                    and l.started = z.started
                    and not starts_with(l.state, 'Z')
                    and regexp_matches(l.cmdline, '\bpython[0-9.]* ')
                    and regexp_matches(l.cpu_time, '[1-9][0-9]*:[0-9]{2}$')
            ) as live
        from process_state z
        where
            starts_with(z.state, 'Z')
            and regexp_matches(z.cmdline, '^\[(?:python|pt_data_worker)[0-9.]*\] ?<defun')
            -- what is started for a moment and not waited for has no time
            and regexp_matches(z.cpu_time, '[1-9][0-9]*:[0-9]{2}$')
    )
where
    live > 0
    and not exists (from data_wait)
    and not exists (from hang_witness)
    and not exists (from stack_verdict)
    and not exists (from stack_starved)
    and not exists (from training_mark where kind = 'end')
having count(*) > 0
union all by name
-- torch's loader, Gluon's
select
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence,
    min(time) as "at",
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    min(number_in(message, '(?:DataLoader|Worker) timed out after ([0-9]+) seconds'))::bigint
    as seconds
from fatal_exception
where loader_gave_up(message)
having count(*) > 0
union all by name
-- interrupted where it waited for workers that do not end
select
    evidence,
    "at",
    ranks,
    hosts,
    pids,
    true as interrupted,
    function as waiting_function,
    'warning' as severity,
    'possible' as confidence
from interrupted_loader
union all by name
-- in words that no grammar knows
select
    evidence,
    "at",
    case when rank is not null then [rank] end as ranks,
    told as message,
    explains,
    confidence,
    otherwise
from told_cause
where what = 'dataloader'
