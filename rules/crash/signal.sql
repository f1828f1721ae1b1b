/*
title = "A process died of a signal"
severity = "critical"
confidence = "definite"
status = "stable"
explains = [
  "hang",
  "network.peer_lost",
  "divergence",
  "network.connect_failure",
  "network.ib_error",
  "loss.rollback",
]
explains_after = ["hang"]
transient = true
about = """
A rank or one of its helpers died of a segmentation fault, an abort, a bus error or a SIGKILL. Not
reported: what the launcher ends afterwards (SIGTERM, its own SIGKILL), what a watchdog aborts on
purpose, and what a person or the scheduler ends.
"""
false_positives = "A SIGKILL from the launcher or from a person that no log mentions."
references = ["https://man7.org/linux/man-pages/man7/signal.7.html"]

[[summary]]
when = "signal is none"
say = '''
{% set worker = 'Ray worker' if 'ray' in source else 'process' if 'systemd' in source
else 'worker process' -%}
{% if pid %}A {{ worker }} ({% if actor_class %}{{ actor_class }}, {% endif %}pid
{{ pid }}{% if host %} on {{ host }}{% endif %})
{% elif pids %}
{{ pids | length | count(worker, 'Ray workers' if 'ray' in source else 'worker processes') }}
({{ pids | names('pid') }})
{% elif process %}Worker {{ process }}{% else %}A {{ worker }}{% endif %}
{% if 'systemd' in source %}crashed: a core dump was written
{% elif 'ray' in source %}ended, and nothing here says why: Ray lists possible reasons, the OOM
killer among them, but does not know which it was
{% else %}ended without a message: killed from outside, usually by the OOM killer, or crashed
{% endif %}
'''

[[summary]]
say = '''
{% if ranks %}{{ ranks | ranks | capital }}
{% elif tasks %}{{ tasks | ranks('task') | capital }}
{% elif local_ranks %}{{ local_ranks | ranks('local rank') | capital }}
{% elif process %}Process {{ process | cut(60) }}
{% else %}A process{% endif %}
{% if pids and pids | length <= 4 %}({{ pids | names('pid') }}){% endif %}
{% if hosts and hosts | length <= 3 %}on {{ hosts | names }}{% endif %}
{% if signal == 9 %}{{ (ranks or tasks or local_ranks or [1]) | agree('was', 'were') }} killed
({{ signal_name }})
{% elif signal == 11 %}crashed with a segmentation fault ({{ signal_name }})
{% elif signal == 6 %}aborted ({{ signal_name }}{% if 'glibc' in source %}): the C library found
the heap or the stack overwritten{% elif 'libstdc++' in source %}): C++ called std::terminate
without an exception{% else %}){% if uncaught %} over a C++ exception that nobody
caught{% endif %}{% if function %}, raised in {{ function }}{% endif %}{% endif %}
{% elif signal == 7 %}died of a bus error ({{ signal_name }})
{% elif signal == 4 %}ran into an illegal instruction ({{ signal_name }})
{% elif signal == 8 %}divided by zero in native code ({{ signal_name }})
{% else %}died of {{ signal_name }}{% endif %}
{% if library %}in {{ library }}{% if offset %} at offset {{ offset }}{% endif %}
{% elif function and signal != 6 %}in {{ function }}{% endif %}
'''

[[step]]
when = "cores"
say = '''
Open {{ cores | names(most=4) }} with the same Python and read the stacks of all threads: the one
that died comes first.
'''
run = ['''gdb -batch -ex bt -ex thread\ apply\ all\ bt $(which python) {{ cores[0] }}''']

[[step]]
when = "signal is none"
say = '''
Look for the OOM killer and for segmentation faults in the kernel log
{% if host %}of {{ host }}{% else %}of the workers' hosts{% endif %}, and read what the
{{ pids | agree('worker', 'workers') }} wrote last.
'''
run = [
  "dmesg -T | grep -iE 'out of memory|oom-kill|killed process|segfault'",
  '''{% if 'ray' in source %}tail -n 50
{%- for p in pids %} /tmp/ray/session_latest/logs/worker-*-{{ p }}.err{% endfor %}{% endif %}''',
]

[[step]]
when = "signal == 9"
say = '''
Find out who sent SIGKILL: look for the OOM killer in the kernel log
{% if hosts %}of {{ hosts | names }}{% else %}of the host that it ran on{% endif %}.
'''
run = [
  "dmesg -T | grep -iE 'out of memory|oom-kill|killed process'",
  "grep -H oom_kill $(find /sys/fs/cgroup -name memory.events)",
]

[[step]]
when = "signal == 9"
say = '''
If it was not the OOM killer, ask the scheduler whether the job hit a limit of memory or time, or
was cancelled.
'''
run = [
  "sacct -j $SLURM_JOB_ID -o JobID,State,ExitCode,MaxRSS,ReqMem,Elapsed,Timelimit,NodeList",
]

[[step]]
when = "signal == 7"
say = '''
Check the free space of /dev/shm{% if hosts %} on {{ hosts | names }}{% endif %} while the job
runs: a full one ends data loader workers like this. In containers make it larger (docker run
--shm-size=64g; in Kubernetes an emptyDir with medium: Memory), or use fewer workers.
'''
run = ["df -h /dev/shm", "ls -lhS /dev/shm | head"]

[[step]]
when = "signal == 7"
say = '''
If there is room, a file that is mapped into memory was truncated or its disk failed: look for
I/O errors, and whether a data set or checkpoint was overwritten during the run.
'''
run = ["dmesg -T | grep -iE 'i/o error|mce|ecc|nfs|lustre'"]

[[step]]
when = "signal == 4"
say = '''
Install binaries that this processor can run{% if hosts %} ({{ hosts | names }}){% endif %}: a
wheel or an extension was built for another one, often with AVX-512 or -march=native. Compare with
a host where the program works.
'''
run = ["lscpu | grep -E 'Architecture|Model name|Flags'", "python -m torch.utils.collect_env"]

[[step]]
when = "library and offset"
say = '''
Find the package that {{ library }} belongs to, and the function at offset {{ offset }}. Try
another version of the package, or rebuild it with debug symbols if it is your own.
'''
run = [
  "find / -xdev -name {{ library }} 2>/dev/null",
  '''{% if offset | length < 12 %}addr2line -Cfpe $(find / -xdev -name {{ library }} 2>/dev/null |
head -n 1) {{ offset }}{% endif %}''',
]

[[step]]
when = "signal == 6 and 'glibc' in source"
say = '''
Look for native code that writes past its buffer or frees twice: it did so earlier than the abort,
and not necessarily in the function that aborted. Start again with a heap that checks itself; leave
out, one after the other, the native extensions that were added or updated last.
'''
run = ["export GLIBC_TUNABLES=glibc.malloc.check=3 LD_PRELOAD=libc_malloc_debug.so.0"]

[[step]]
when = "signal == 6 and 'libstdc++' in source"
say = '''
Look for a thread in native code that nobody joined when its object was destroyed: that of a data
reader, a writer of checkpoints or a logger, where the program left in another way than usual. An
exception before it is why it left.
'''
run = ['''gdb -batch -ex run -ex bt --args python train.py''']

[[step]]
when = "signal == 6 and not ('glibc' in source or 'libstdc++' in source) and not function"
say = '''
Read what was printed right before the abort: an uncaught C++ exception, a failed assertion or a
fatal check gives the reason.
'''
run = [
  '''grep -n -B 5 {% for path in paths %}{{ path }} {% endfor %}
-E -e 'terminate called|what\(\):|Assertion|Check failed|Fatal Python error' ''',
]

[[step]]
when = "'faulthandler' in source"
say = "Read the Python stack that faulthandler printed: it shows which call led to the crash."

[[step]]
when = "shown_stack"
say = '''
Read the Python stack that is printed above it, as faulthandler does at a crash: Python was in
{{ shown_stack }}.
'''

[[step]]
when = "'gdb' in source"
say = '''
Read the native stack{% if function %} from {{ function }} upwards{% endif %} in
{{ paths | names }}{% if uncaught %}: the exception was raised there, and nobody caught it
{%- endif %}.
'''

[[step]]
when = '''
signal in (7, 11) and function in [
'subtract_refs', 'update_refs', 'visit_decref', 'visit_reachable', 'deduce_unreachable',
'move_unreachable', 'gc_collect_main', 'collect']
'''
say = '''
Look elsewhere for the mistake: Python's garbage collector met an object that native code had
overwritten, or released once too often, before. Start again with the checks of its allocator, and
leave out, one after the other, the native extensions that were added or updated last.
'''
run = ["export PYTHONMALLOC=debug PYTHONFAULTHANDLER=1"]

[[step]]
when = "signal in (5, 6, 8, 11) and 'gdb' not in source and not cores"
say = '''
Read the core dump{% if hosts %} on {{ hosts | names }}{% endif %}, if one was written; core_pattern
says where it goes.
'''
run = [
  "cat /proc/sys/kernel/core_pattern",
  "coredumpctl info {{ pid }}",
  '''gdb -batch -ex bt -ex thread\ apply\ all\ bt $(which python) core.{{ pid }}''',
]

[[step]]
when = "signal in (5, 6, 8, 11) and 'gdb' not in source and not cores"
say = '''
Without a core dump, allow them in the job's script
{%- if 'faulthandler' not in source and not shown_stack %}, have Python print its stacks at a crash
{%- endif %}, and start again.
'''
run = [
  "ulimit -c unlimited",
  "{% if 'faulthandler' not in source and not shown_stack %}export PYTHONFAULTHANDLER=1{% endif %}",
]
*/
with
    reported as (
        select
            signal,
            any_value(signal_name) as signal_name,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list(distinct pid order by pid) filter (pid is not null) as pids,
            list(distinct task order by task) filter (task is not null) as tasks,
            list(distinct local_rank order by local_rank) filter (
                local_rank is not null
            ) as local_ranks,
            min(time) as "at",
            coalesce(
                max(process) filter (source = 'kernel'),
                any_value(process) filter (pid is not null),
                any_value(process) filter (process is not null)
            ) as process,
            any_value(library) filter (library is not null) as library,
            any_value(library_offset) filter (library is not null) as library_offset,
            any_value(error_code) filter (error_code is not null) as error_code,
            any_value(fault_address) filter (fault_address is not null) as fault_address,
            any_value(exitcode) filter (exitcode is not null) as exitcode,
            list(distinct source order by source) as source,
            list(
                line_at(file_id, line_no)
                order by source = 'kernel' desc, first_observed desc, file_id, line_no
            )[:20] as evidence
        from fatal_signal
        group by signal, attempt
    ),
    stack_place as (  -- where every native stack agrees on it
        select signal, any_value(function) as function, bool_or(is_uncaught) as is_uncaught
        from signal_stack
        group by signal
        having count(distinct function) = 1
    ),
    -- mpirun's only lost daemon: with kubectl exec as its way there, what was killed ran in that
    -- pod
    lost_daemon as (
        select any_value(peer) as peer
        from launcher_event
        where event = 'daemon_lost' and peer is not null
        having count(distinct peer) = 1
    ),
    ended_with_it as (
        select list(distinct rank order by rank) as ranks
        from death
        where signal = 15 and rank is not null
    ),
    -- the one stack that faulthandler printed above the line that tells of the signal
    shown as (
        select f.signal, any_value(c.label) as stack
        from fatal_signal f
        join
            stack_thread t
            on t.file_id = f.file_id
            and t.source_kind = 'faulthandler'
            and f.line_no - t.line_no between 1 and 60
        join stack_call c on c.file_id = t.file_id and c.thread_line = t.line_no and c.d = 1
        where f.source <> 'faulthandler' and f.signal in (4, 5, 6, 7, 8, 11)
        group by f.signal
        having count(distinct(t.file_id, t.line_no)) = 1
    ),
    job as (
        select count(distinct rank) as world_size
        from identity
        where rank is not null
        having count(distinct rank) > greatest(1, max(rank))
    )
select
    evidence,
    "at",
    ranks,
    coalesce(
        r.hosts,
        case
            when source = ['container'] and ranks is null and pids is null
            then (select [peer] from lost_daemon)
        end
    ) as hosts,
    case
        -- somebody sent it, and does not say why
        when signal = 9 and not list_contains(source, 'kernel') and ranks is null and pids is null
        then 'possible'
        when signal in (6, 9) and not list_contains(source, 'kernel')
        then 'probable'
    end as confidence,
    signal,
    signal_name,
    exitcode,
    process,
    case when len(pids) = 1 then pids[1] end as pid,
    pids,
    case when len(r.hosts) = 1 then r.hosts[1] end as host,
    case when ranks is null and len(local_ranks) = 1 then local_ranks[1] end as local_rank,
    case when ranks is null then local_ranks end as local_ranks,
    case when ranks is null then tasks end as tasks,
    library,
    try_cast(error_code as bigint) as error_code,
    library_offset as "offset",
    fault_address,
    source,
    case when not list_contains(source, 'faulthandler') then w.stack end as shown_stack,
    a.function,
    case when a.is_uncaught then true end as uncaught,
    (select ranks from ended_with_it) as echo_ranks,
    case when ranks is not null then (select world_size from job) end as world_size,
    case
        when signal in (4, 5, 6, 7, 8, 11) and not list_contains(source, 'gdb')
        then
            (select list(f.path order by f.path) from core_file as c join file as f using (file_id))
    end as cores
from reported r
left join stack_place a using (signal)
left join shown w using (signal)
union all by name
-- Ray sees that the connection to a worker ended, and guesses at why; others only that it is gone.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence,
    min(time) as "at",
    list(distinct host) filter (host is not null) as hosts,
    'warning' as severity,
    'possible' as confidence,
    case when count(distinct pid) = 1 then any_value(pid) end as pid,
    coalesce(list(distinct pid order by pid) filter (pid is not null), []) as pids,
    case when count(distinct host) = 1 then any_value(host) end as host,
    case when count(distinct process) = 1 then any_value(process) end as process,
    case when count(distinct actor_class) = 1 then any_value(actor_class) end as actor_class,
    list(distinct source order by source) as source
from worker_gone x
left join
    lateral(
        select max_by(c.class_name, c.line_no) as actor_class
        from actor_class c
        where c.file_id = x.file_id and x.line_no - c.line_no between 1 and 8
    )
    on true
where
    exitcode is null
    and signal is null
    and not coalesce(process in (select process from system_daemon), false)
    -- its training had ended as planned: it is taken down with the job
    and not exists (
        from training_mark m
        where
            m.kind = 'end'
            and (
                m.file_id = x.file_id
                and m.line_no < x.line_no
                or m.file_id in (select half_id from other_half h where h.file_id = x.file_id)
            )
            and not exists (
                from metric_span t where t.file_id = m.file_id and t.last_line > m.line_no
            )
    )
    and (
        pid is not null
        or not exists (from worker_gone o where o.source = x.source and o.pid is not null)
        -- the words of a message whose fields say which process it is of
        or exists (
            from worker_gone o
            where
                o.source = x.source
                and o.pid is not null
                and o.file_id = x.file_id
                and x.line_no - o.line_no between 1 and 3
        )
    )
    -- Ray ends its worker behind a process of it that a launcher saw end first
    and not exists (
        from "exit" e
        where
            e.first_observed
            and e.exitcode between 1 and 127
            and e.file_id = x.file_id
            and e.line_no < x.line_no
    )
    and not exists (from fatal_signal)
    and not exists (from fatal_exception)
    and not exists (from ended_from_outside)
    and not exists (from cuda_error)
    and not exists (from oom_event)
    and not exists (from oomd_kill)
    and not exists (from kernel_oom_incident)
    and not exists (from c10d_timeout_line)
    and not exists (from c10d_nccl_error)
having count(*) > 0
