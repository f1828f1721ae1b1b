/*
title = "Stuck while saving or loading a checkpoint"
severity = "critical"
confidence = "probable"
status = "stable"
explains = [
  "hang.missing_rank",
  "hang.collective_timeout",
  "hang.log_silence",
  "divergence.stack",
  "network.peer_lost",
]
explains_other_ranks = ["crash"]
about = """
A rank is in the code that writes or reads a checkpoint, at the same place in two dumps, while the
other ranks wait for it. Saving takes its time, so one dump proves nothing of rank 0, which may have
more to save than the others, and little of another one. Or a worker of Ray, which bears the name of
what it runs, is in the kernel and saves. Or every rank has two threads in
collectives at once, one of which saves: on one group their order differs between ranks. Or a
collective of gloo timed out within a function that saves or loads one, as the traceback shows, and
nothing else failed. Or a program says in words of its own that a checkpoint does not come to its
end.
"""
summary = '''
{% set who = ranks or pids or [0] %}
{% if message %}A checkpoint does not come to its end, as the log tells: {{ message | cut(200) }}
{% elif timeout_ms %}
{%- if ranks %}{{ ranks | ranks | capital }}{% else %}A process{% endif %}
{%- if hosts %} ({{ hosts | names }}){% endif %} waited {{ (timeout_ms / 1000) | duration }} in
{{ op or 'a collective' }} of {{ function }} and timed out: not all ranks came to the end of the
checkpoint
{% else %}
{% if ranks and not (ranks_guessed and pids) %}{{ ranks | ranks | capital }}
{%- elif pids %}{{ pids | agree('Process', 'Processes') }} {{ pids | names }}
{%- else %}A process{% endif %}
{% if hosts %}({{ hosts | names }}
{%- if ranks_guessed and pids %}, probably {{ ranks | ranks }}{% endif %})
{%- elif ranks_guessed and pids %}(probably {{ ranks | ranks }}){% endif %}
{{ who | agree('is', 'are') }} stuck saving or loading a checkpoint, in {{ frame }}
{%- if two_threads %}: the main thread and another one are in collectives at once
{%- elif minutes %}, {{ minutes }} min after faulthandler's timer was set
{%- elif told %}, and somebody says that the program hangs
{%- elif waits_on %}: {{ who | agree('it', 'they') }} {{ who | agree('waits', 'wait') }} for
{{ waits_on }} in the kernel
{%- else %}
{%- if not seen_once %} in two dumps{% endif %};
{{ others | count('other') }} {{ others | agree('is', 'are') }} waiting in {{ majority_function }}
{%- endif %}
{% if ranks_guessed and not pids %}(ranks guessed from the order of pids or hosts){% endif %}
{% endif %}
'''
false_positives = """
A very large checkpoint on slow storage can keep one line busy for longer than the time between two
dumps.
"""
references = ["https://docs.pytorch.org/docs/stable/distributed.checkpoint.html"]

[[step]]
when = "timeout_ms"
say = '''
Find the rank that did not come to this {{ op or 'collective' }}: it was still saving or loading, or
had taken another way. See how long its part takes, and whether the storage answers.
'''
run = ["timeout 10 df -h", "dmesg -T | tail -n 100"]

[[step]]
when = "path and not message"
say = '''
See whether the storage of {{ path }} answers{% if host %} on {{ host }}{% endif %}, and has room.
'''
run = [
  "timeout 10 df -h {{ path.rpartition('/')[0] }}",
  "timeout 10 df -i {{ path.rpartition('/')[0] }}",
  "dmesg -T | tail -n 100",
]

[[step]]
when = "message"
say = '''
See whether the storage of {% if path %}{{ path }}{% else %}the checkpoint{% endif %} answers and
has room, and which rank has not written its part: the files of the step show whose is missing.
'''
run = ["timeout 10 df -h", "dmesg -T | tail -n 100"]

[[step]]
when = "not path and not two_threads and not message and not timeout_ms"
say = '''
Find the file that {% if pid %}process {{ pid }}{% else %}it{% endif %} writes or reads
{%- if host %} on {{ host }}{% endif %}, and see whether its file system answers (df, a small
write).
'''
run = [
  "ls -l /proc/{{ pids[0] }}/fd",
  "cat /proc/{{ pids[0] }}/stack",
  "strace -f -y -T -p {{ pids[0] }}",
  "dmesg -T | tail -n 100",
]

[[step]]
when = "two_threads"
say = '''
Give the save in the background a process group of its own, and let nothing else use it: its
collectives and those of the main thread must not share one.
'''

[[step]]
when = "not two_threads and not message and not timeout_ms"
say = '''
If the storage answers, see whether every rank calls {{ function }}: a collective inside it needs
all of them.
'''
*/
with
    -- what strace shows the same processes blocked on
    file as (
        select any_value(path) as path
        from blocked_call as c
        where
            c.waits_on = 'file'
            and exists (
                from stack_verdict as v where v.kind = 'checkpoint' and list_contains(v.pids, c.pid)
            )
    )
select
    list_concat(coalesce(v.lines, v.heads, []), v.waiting_lines[:3]) as evidence,
    case when not coalesce(v.still, false) and not v.watched then 'possible' end as confidence,
    case when not coalesce(v.still, false) and not v.watched then true end as seen_once,
    v.ranks,
    v.hosts,
    v.pids,
    v.function,
    v.frame,
    f.path,
    v.world_size,
    v.waiting as others,
    v.waiting_function as majority_function,
    case when v.guessed and v.ranks is not null then true end as ranks_guessed
from stack_verdict as v, file as f
where v.kind = 'checkpoint'
union all by name
select
    lines || coalesce(told, []) as evidence,
    'possible' as confidence,
    'warning' as severity,
    ranks,
    hosts,
    pids,
    function,
    frame,
    n as processes,
    minutes,
    case when kind = 'two_savers' then true end as two_threads,
    case when told is not null then true end as told
from stack_standstill
where kind in ('checkpoint', 'two_savers')
union all by name
-- Ray puts the method that a worker runs into its title.
select
    flatten(list(evidence order by pid))[:20] as evidence,
    case when bool_and(is_proven) then 'probable' else 'possible' end as confidence,
    'warning' as severity,
    nullif(list(distinct rank order by rank) filter (rank is not null), []) as ranks,
    nullif(list(distinct host order by host) filter (host is not null), []) as hosts,
    list(distinct pid order by pid) as pids,
    method as function,
    method as frame,
    any_value(waits_on) as waits_on
from
    (
        select
            k.*,
            regexp_extract(
                s.cmdline,
                '^ray::[^ ]*?\b((?:save|load|restore)_[a-z_]{4,30}|[a-z_]{0,20}checkpoint)',
                1
            ) as method
        from process_in_kernel as k
        join (select distinct pid, cmdline from process_state) as s using (pid)
        where
            (k.is_proven or k.is_likely) and not k.is_stopped and k.waits_on <> 'the NVIDIA driver'
    )
where method <> ''
group by method
union all by name
-- A collective around it timed out.
select
    flatten(
        list(
            [line_at(file_id, line_no), line_at(file_id, checkpoint_line)] order by file_id, line_no
        )
    )[:20] as evidence,
    min(time) as "at",
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    min(checkpoint) as function,
    min(checkpoint) as frame,
    min(collective) as op,
    max(timeout_ms) as timeout_ms
from c10d_called
where
    checkpoint is not null
    and not exists (from fatal_exception where kind not in ('collective', 'echo'))
    and not exists (from death where signal is distinct from 15)
    and not exists (from oom_event)
    and not exists (from missing_rank_suspect where len(ranks) > 0)
having count(*) > 0
union all by name
-- in words that no grammar knows
select
    evidence,
    "at",
    case when rank is not null then [rank] end as ranks,
    path,
    told as message,
    explains,
    confidence,
    otherwise
from told_cause
where what = 'checkpoint_hang'
