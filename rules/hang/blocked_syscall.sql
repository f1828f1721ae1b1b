/*
title = "A process is blocked in a system call"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["hang", "loss.rollback"]
about = """
strace shows a call on a file, a lock or a connection that had not returned when the trace ended,
or that took half a minute, or a lock that is tried over and over; ps or /proc/PID/stack shows a
process that waits in the kernel (state D) or is stopped (state T). Idle helper threads end in
futex, epoll and poll and do not count; of the others only main threads count, or calls on files and
locks. A main thread that waits in futex or poll, or that spins, is reported as context: it waits
for another thread or for a collective, and only a stack dump tells which. Where a trace of one
thread in futex is all there is, it is a warning.
"""
summary = '''
{% set who = ranks or (tids if pid and tids and pid not in tids else pids) or [0] %}
{% set by_main = kind in ['waits', 'spins'] %}
{% if by_main %}The main thread{% if rank is not none %} of rank {{ rank }}{% endif %}
{% elif ranks %}{{ ranks | ranks | capital }}
{% elif pid and tids and pid not in tids %}
  {{ tids | agree('Thread', 'Threads') }} {{ tids | names }} of process {{ pid }}
{% elif pids %}{{ pids | agree('Process', 'Processes') }} {{ pids | names }}
{% else %}The traced process{% endif %}
{% if pid and (ranks or by_main) %}(pid {{ pid }}){% endif %}

{% if kind == 'stopped' %}is stopped (state T)
{% elif kind == 'uninterruptible' %}
  {{ who | agree('is', 'are') }} waiting for {{ waits_on }} in the kernel
  (state D{% if kernel_function %}, in {{ kernel_function }}{% endif %})
{% elif kind == 'seen once' %}
  {{ who | agree('was', 'were') }} seen once waiting for {{ waits_on }} in the kernel
  ({{ kernel_function }}), as any process that reads a file is for a moment
{% elif kind == 'waits' %}
  has been waiting for
  {% if waits_on == 'poll' %}an event in {{ syscall }}
  {% elif awaited_tid %}thread {{ awaited_tid }} to end (pthread_join)
  {% else %}
    {{ 'a lock or semaphore shared with other processes' if is_shared else 'another thread' }}
    (futex, {{ 'with a' if has_deadline else 'no' }} time limit)
  {% endif %}
  {% if seconds and seconds >= 1 %}for at least {{ seconds | duration }}{% endif %}
{% elif kind == 'spins' %}
  only polls: {{ tries }} of its {{ 'last ' if seconds < 1 else '' }}{{ calls }} calls
  {%- if seconds >= 1 %} in the last {{ seconds | duration }}{% endif %} ask whether it may go on,
  mostly {{ syscall }}
  {% if syscall == 'futex' %}with a short time limit, as for the interpreter lock{% endif %}
{% elif kind == 'retried' %}
  {{ who | agree('has', 'have') }}
  {{ 'tried to take the lock' if waits_on == 'lock' else 'looked for the missing file' }}
  {% if path %}{{ path }}{% else %}on descriptor {{ fd }}{% endif %}
  {{ tries | count('time') }}
  {%- if seconds and (seconds >= 1 or not errno) %} in {{ seconds | duration }}{% endif %}, in vain
  {%- if errno %}: its file system does not lock files ({{ errno }}){% endif %}
{% elif kind == 'late' %}
  {% if waits_on == 'lock' %}waited {{ seconds | duration }} for a file lock: {{ syscall }}
  {% elif waits_on == 'descriptor' %}spent up to {{ seconds | duration }} in {{ syscall }} on
    descriptor {{ fd }}: nothing else was called meanwhile
  {% else %}spent {{ seconds | duration }} in {{ syscall }}{% endif %}
  {% if path %}on {{ path }}{% endif %}
{% else %}
  {% if waits_on == 'reader' %}
    {{ who | agree('is', 'are') }} waiting to write to
    {% if peer or path %}{{ peer or path }}{% else %}descriptor {{ fd }}{% endif %}, which takes no
    more: {{ syscall }}
  {% else %}
    {{ who | agree('is', 'are') }}
    {% if waits_on == 'lock' %}waiting for a file lock{% if path %} on {{ path }}{% endif %}:
      {{ syscall }}
    {% elif waits_on == 'socket' %}waiting for a peer{% if peer %}, {{ peer }}{% endif %}:
      {{ syscall }}
    {% elif waits_on == 'pipe' %}waiting for the other end of a pipe: {{ syscall }}
    {% elif waits_on == 'descriptor' %}in {{ syscall }} on descriptor {{ fd }}, which
    {% else %}stuck in {{ syscall }} on {{ path }}
      {%- if filesystem %} ({{ filesystem }}){% endif %}, which
    {% endif %}
  {% endif %}
  had not returned {{ 'after ' + (seconds | duration) if seconds else 'when the trace ended' }}
{%- endif %}
{%- if holder_pid %}; process {{ holder_pid }} took it and has not released it{% endif %}
'''
false_positives = """
A trace that was stopped while a slow but healthy read was under way. A launcher that waits for its
children by reading a pipe is left out on purpose.
"""
references = ["https://man7.org/linux/man-pages/man1/strace.1.html"]

[[step]]
when = "kind == 'stopped'"
say = '''
Find out what stopped it{% if host %} on {{ host }}{% endif %} (a debugger that is still attached,
kill -STOP, job control), then let it continue.
'''
run = ["grep -e State -e TracerPid /proc/{{ pid }}/status", "kill -CONT {{ pid }}"]

[[step]]
when = "kind == 'uninterruptible'"
say = '''
See whether process {{ pid }} is still in the same kernel function{% if host %} on {{ host }}
{%- endif %}. In state D it cannot be killed until the call returns.
'''
run = ["ps -o pid,stat,wchan:32,args -p {{ pid }}", "cat /proc/{{ pid }}/stack"]

[[step]]
when = "kind == 'seen once'"
say = "Look again in a minute: a process that is still in the same function hangs."
run = ["cat /proc/{{ pids[0] }}/stack"]

[[step]]
when = "waits_on == 'lock' and holder_pid"
say = '''
Find out what process {{ holder_pid }} is doing with the lock; the others go on when it releases it
or ends.
'''
run = [
  "py-spy dump --native --pid {{ holder_pid }}",
  "ps -o pid,stat,lstart,args -p {{ holder_pid }}",
]

[[step]]
when = "waits_on == 'lock' and kind == 'late' and not holder_pid"
say = "Find out which processes lock {{ path or 'this file' }}, and why they hold it for so long."
run = ["lslocks -o +BLOCKER", "fuser -v {{ path }}"]

[[step]]
when = '''
waits_on == 'lock' and kind == 'retried' and not holder_pid and syscall not in ['flock', 'fcntl']
'''
say = '''
Here the file itself is the lock. Find the process that made {{ path }}; if it is gone, remove the
file.
'''
run = ["ls -ld {{ path }}", "fuser -v {{ path }}"]

[[step]]
when = '''
waits_on == 'lock' and kind != 'late' and not holder_pid and not errno
and (kind == 'blocked' or syscall in ['flock', 'fcntl'])
'''
say = '''
Find the process that holds the lock {% if path %}on {{ path }}{% else %}(descriptor {{ fd }} of
process {{ pids[0] }}){% endif %} and see what keeps it from releasing it. If the file is on a
shared file system, that process may be on any host that uses it.
'''
run = [
  "ls -l /proc/{{ pids[0] }}/fd/{{ fd if not path else none }}",
  "lsof {{ path }}",
  "fuser -v {{ path }}",
  "lslocks -o +BLOCKER",
]

[[step]]
when = "kind == 'retried' and waits_on == 'lock' and errno"
say = '''
Do not look for a process that holds the lock: the file system
{%- if path %} of {{ path }}{% endif %} refuses every lock, so no wait will end. Put the file on one
that locks, as a local disk does, or have this one mounted with locks (Lustre: the option flock;
NFS: its lock service).
'''
run = ["findmnt -T {{ path }} -o TARGET,FSTYPE,OPTIONS", "mount -t lustre,nfs,nfs4"]

[[step]]
when = "kind == 'retried' and waits_on == 'missing file'"
say = "Find the process that should have written {{ path }}, and why it did not."
run = ["ls -la {{ path.rpartition('/')[0] }}"]

[[step]]
when = "waits_on in ['socket', 'reader'] and peer"
say = '''
Find the process at the other end: the first command, here, shows whether the connection still
stands; the second, on the host of {{ peer }}, whose it is. Then see what that process is waiting
for.
'''
run = ["ss -tnp dst {{ peer }}", "ss -tnp src {{ peer }}"]

[[step]]
when = "waits_on == 'socket' and not peer"
say = '''
{% if syscall.startswith('accept') %}Find the process that should have connected
{% else %}Find the process at the other end of the connection{% endif %}
and see what it is waiting for.
'''
run = ["ls -l /proc/{{ pids[0] }}/fd/{{ fd }}", "ss -anp | grep pid={{ pids[0] }},fd={{ fd }}"]

[[step]]
when = "waits_on == 'reader' and not peer"
say = '''
Find the process that should read the other end of descriptor {{ fd }}, and see what it is waiting
for.
'''
run = ["ls -l /proc/{{ pids[0] }}/fd/{{ fd }}", "lsof -a -p {{ pids[0] }} -d {{ fd }} +E"]

[[step]]
when = "waits_on == 'pipe'"
say = "Find the process at the other end of the pipe, and see what it is waiting for."
run = ["lsof -a -p {{ pids[0] }} -d {{ fd }} +E"]

[[step]]
when = "waits_on == 'descriptor' and kind == 'blocked'"
say = "Find out what descriptor {{ fd }} is, and who should answer on it."
run = [
  "ls -l /proc/{{ pids[0] }}/fd/{{ fd }}",
  "cat /proc/{{ pids[0] }}/stack",
  "py-spy dump --native --pid {{ pids[0] }}",
]

[[step]]
when = "waits_on == 'descriptor' and kind == 'late'"
say = '''
Trace again with durations and names of files: they tell whether the call took so long or the
program computed after it.
'''
run = ["strace -f -T -tt -y -p {{ pids[0] }}"]

[[step]]
when = "waits_on == 'file' and kind == 'blocked' and syscall in ['open', 'openat', 'creat']"
say = '''
See whether {{ path }} is a named pipe that no other process has opened: then start, or find, the
process at its other end.
'''
run = ["timeout 10 stat -c %F {{ path }}", "fuser -v {{ path }}"]

[[step]]
when = "waits_on == 'file'"
say = '''
See whether the {% if filesystem %}{{ filesystem }} {% endif %}file system of {{ path }}
{{ 'is answering' if kind == 'blocked' else 'was slow at that time' }}
{%- if hosts %}, on {{ hosts | names }}{% endif %}.
'''
run = [
  "timeout 10 df -hT {{ path.rpartition('/')[0] }}",
  "dmesg -T | tail -n 100",
  "cat /proc/{{ pids[0] if kind == 'blocked' else none }}/stack",
]

[[step]]
when = "waits_on == 'NFS' or waits_on == 'file' and filesystem == 'nfs'"
say = "Check whether the NFS server answers{% if hosts %} {{ hosts | names }}{% endif %}."
run = ["nfsstat -m", "dmesg -T | grep -i 'nfs: server'"]

[[step]]
when = "waits_on == 'Lustre' or waits_on == 'file' and filesystem == 'lustre'"
say = "Check whether the Lustre servers answer{% if hosts %} {{ hosts | names }}{% endif %}."
run = ["lfs check servers", "dmesg -T | grep -iE 'lustre|lnet'"]

[[step]]
when = "waits_on == 'GPFS' or waits_on == 'file' and filesystem == 'gpfs'"
say = "See what GPFS is waiting for{% if hosts %} on {{ hosts | names }}{% endif %}."
run = ["mmdiag --waiters", "mmlsmount all -L"]

[[step]]
when = "waits_on == 'Ceph' or waits_on == 'file' and filesystem == 'ceph'"
say = "Check whether Ceph answers{% if hosts %} {{ hosts | names }}{% endif %}."
run = ["dmesg -T | grep -iE 'libceph|ceph:'", "ceph -s"]

[[step]]
when = "waits_on == 'a FUSE file system' or waits_on == 'file' and filesystem == 'fuse'"
say = '''
Check whether the daemon behind the FUSE mount is alive{% if hosts %} on {{ hosts | names }}
{%- endif %}; where it is dead, unmount and mount again.
'''
run = ["grep fuse /proc/mounts", "ps -ef | grep -i fuse"]

[[step]]
when = "waits_on == 'a frozen file system'"
say = "Find out who froze the file system (fsfreeze, a snapshot that is being taken), and thaw it."
run = ["findmnt -D", "dmesg -T | tail -n 100"]

[[step]]
when = "waits_on == 'a block device'"
say = "Check the disk{% if hosts %} of {{ hosts | names }}{% endif %} for errors and for its load."
run = ["dmesg -T | grep -iE 'i/o error|blocked for more'", "iostat -x 1 3"]

[[step]]
when = "waits_on == 'a page of a file'"
say = '''
See which files the process has open, and whether the file systems they are on
answer{% if hosts %} on {{ hosts | names }}{% endif %}: a server that does not, or a disk.
'''
run = ["ls -l /proc/{{ pid }}/fd", "findmnt -D", "dmesg -T | tail -n 100"]

[[step]]
when = "waits_on == 'the NVIDIA driver' or waits_on == 'device' and '/dev/nvidia' in path"
say = '''
Check whether the driver still answers{% if hosts %} on {{ hosts | names }}{% endif %}, and what the
kernel log says of the GPU.
'''
run = ["timeout 20 nvidia-smi", "dmesg -T | grep -iE 'xid|nvrm'"]

[[step]]
when = "waits_on == 'device' and '/dev/nvidia' not in path"
say = '''
The driver behind {{ path }} is not answering: read the kernel log
{% if hosts %}of {{ hosts | names }}{% endif %} for its messages.
'''
run = ["dmesg -T | tail -n 100", "cat /proc/{{ pids[0] }}/stack"]

[[step]]
when = "kind in ['waits', 'spins']"
say = '''
Dump the stacks of the process{% if host %} on {{ host }}{% endif %} twice, some seconds apart: they
show what it is waiting for.
'''
run = [
  'py-spy dump --native --pid {{ pid }}',
  'gdb -p {{ pid }} -batch -ex thread\ apply\ all\ bt',
]
*/
with
    -- Whose stack shows that it is waiting in a collective waits for the others on its sockets,
    -- or for its own threads that do: that is no fault of theirs.
    of_collective as (select distinct pid, rank from stack_main where waits_for_peers),
    -- many threads or ranks at the same thing are one incident
    blocked as (
        select
            kind,
            syscall,
            waits_on,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list(distinct coalesce(pid, tid) order by coalesce(pid, tid)) filter (
                coalesce(pid, tid) > 0
            ) as pids,
            list(distinct tid order by tid) filter (tid > 0) as tids,
            max(lasted) as seconds,
            min(began) as began,
            any_value(fd) as fd,
            any_value(path) as path,
            any_value(peer) as peer,
            sum(tries)::bigint as tries,
            any_value(errno) as errno,
            any_value(filesystem) as filesystem,
            max(holder_pid) as holder_pid,
            list(line_at(file_id, line_no) order by file_id, line_no)[:20] as first_lines,
            list(distinct line_at(file_id, last_line)) filter (last_line <> line_no)[
                :3
            ] as last_lines,
            list(holder_line) filter (holder_line is not null) as holder_lines
        from blocked_call as b
        anti join
            of_collective as c
            on b.waits_on in ('socket', 'pipe', 'descriptor')
            and (c.pid = coalesce(b.pid, b.tid) or c.rank = b.rank)
        group by kind, syscall, waits_on, coalesce(path, peer, '')
    ),
    -- seen in the kernel once only
    passing as (
        select
            waits_on,
            kernel_function,
            list(pid order by pid) as pids,
            list(distinct host) filter (host is not null) as hosts,
            flatten(list(evidence order by pid))[:6] as evidence
        from process_in_kernel
        where not is_proven and not is_likely and not is_passing and waits_on <> 'stopped'
        group by waits_on, kernel_function
    )
select
    kind,
    case
        when waits_on in ('missing file', 'socket', 'pipe', 'descriptor')
        then 'possible'
        else 'probable'
    end as confidence,
    case when kind = 'late' then 'warning' end as severity,
    list_concat(first_lines, last_lines, holder_lines) as evidence,
    began as at,
    ranks,
    hosts,
    pids,
    case when len(pids) = 1 then pids[1] end as pid,
    tids,
    syscall,
    fd,
    path,
    path as fd_path,
    coalesce(path, peer) as target,
    peer,
    seconds,
    tries,
    errno,
    waits_on,
    filesystem,
    holder_pid
from blocked
union all by name
select
    kind,
    -- Somebody looked at one process alone, and this call is all there is of it.
    case when is_alone then 'warning' else 'info' end as severity,
    case when is_alone then 'possible' end as confidence,
    evidence,
    began as at,
    case when rank is not null then [rank] end as ranks,
    case when host is not null then [host] end as hosts,
    case when pid > 0 then [pid] end as pids,
    syscall,
    lasted as seconds,
    calls,
    tries,
    waits_on,
    is_shared,
    has_deadline,
    awaited_tid
from
    (
        select
            *,
            kind = 'waits'
            and waits_on = 'futex'
            and not has_deadline
            and not exists (from job_sign where sign <> 'calls')
            and (select count(*) from strace_tail) = 1 as is_alone
        from main_thread_wait as w
        anti join of_collective as c on c.pid = w.pid or c.rank = w.rank
    )
union all by name
-- all threads of a bare trace wait, without a deadline, for one that is not there to wake them
select
    'waits' as kind,
    'warning' as severity,
    'possible' as confidence,
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence,
    min(time) as at,
    list(distinct coalesce(pid, tid) order by coalesce(pid, tid)) filter (
        coalesce(pid, tid) > 0
    ) as pids,
    list(distinct tid order by tid) filter (tid > 0) as tids,
    'futex' as syscall,
    'futex' as waits_on,
    false as is_shared,
    false as has_deadline
from waiting_for_syscall
where
    waits_on = 'futex'
    and not has_deadline
    and injected is null
    and not exists (from job_sign where sign <> 'calls')
having
    count(*) > 0
    and count(*) = (select count(*) from strace_tail)
    and (count(*) >= 2 or bool_and(caught_in_it and thread_lines >= 3 and not is_rank))
union all by name
select
    case when is_stopped then 'stopped' else 'uninterruptible' end as kind,
    case when bool_or(is_proven) then 'probable' else 'possible' end as confidence,
    -- the missing rank, which is told of as stopped
    case when is_told then 'warning' end as severity,
    case when is_told then [] end as explains,
    flatten(list(evidence order by pid))[:20] as evidence,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    case when host is not null then [host] end as hosts,
    list(distinct pid order by pid) as pids,
    case when len(pids) = 1 then pids[1] end as pid,
    mode(kernel_function) as kernel_function,
    waits_on,
    case when is_stopped then 'T (stopped)' else 'D (uninterruptible)' end as process_state
from
    (
        select
            *,
            is_stopped
            and pid in (select pid from stack_suspect where failure = 'stopped') as is_told
        from process_in_kernel
    )
where is_proven or is_likely
-- what several wait for is one incident
group by waits_on, host, is_stopped, is_told, case when is_stopped then pid end
union all by name
select
    'seen once' as kind,
    'info' as severity,
    evidence,
    hosts,
    pids,
    case when len(pids) = 1 then pids[1] end as pid,
    kernel_function,
    waits_on
from passing
