/*
title = "Watchdog timeout in a collective"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["network.peer_lost", "divergence.stack", "loss.rollback"]
explains_same_place = ["crash"]
about = """
Ranks waited in a collective until its timeout was over, or the heartbeat monitor found the watchdog
thread itself stuck. The ranks named here are those that waited. Where no other incident explains
it, all of them waited alike: then nobody is late, and the path between them (network, NVLink, a
GPU) or a deadlock inside the library is the suspect.
"""
false_positives = """
A step that really takes longer than the timeout (a first compilation, saving a checkpoint, an
uneven last batch) ends the same way: then the timeout is too short.
"""
references = ["https://pytorch.org/docs/stable/torch_nccl_environment_variables.html"]

[[summary]]
when = "kind == 'timeout'"
say = '''
{%- if ranks %}{{ ranks | ranks | capital }}{% else %}A process{% endif %} waited
{%- if timeout_ms and ran_ms and ran_ms > 1.5 * timeout_ms %} {{ (ran_ms / 1000) | duration }} (its
limit: {{ (timeout_ms / 1000) | duration }})
{%- elif timeout_ms %} {{ (timeout_ms / 1000) | duration }}{% else %} too long{% endif %}
{%- if awaited_ranks %} for {{ awaited_ranks | ranks }}{% endif %} in
{% if ops %}{{ ops | names }}{% elif op %}{{ op }}{% else %}an operation{% endif %}
{%- if seq is not none %} {{ seq }}{% endif %}{% if group %} of group {{ group }}{% endif %}
{%- for e in (elsewhere or [])[:3] -%}
  {% if loop.first %} ({% else %}, {% endif %}{{ e.ranks | ranks }} in {{ e.seq }}
  {%- if loop.last %}){% endif -%}
{%- endfor %} and timed out
{%- if all_alike %}; all of them were in this same operation{% endif %}
{%- if whole_job %}; no rank of the job is left that says anything else{% endif %}
{%- if groups_after %}; {{ groups_after | count('more group') }} timed out after it{% endif -%}
.'''

[[summary]]
when = "kind == 'hccl'"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}A process{% endif %} waited too long in a
collective of HCCL{% if gpus %} on {{ gpus | names('NPU') }}{% endif %}
{%- if code %} ({{ code }}){% endif %}
{%- if peer_rank is not none %}, for rank {{ peer_rank }} of {% if group %}{{ group }}{% else %}its
group{% endif %}{% else %}: {{ error | cut }}{% endif %}'''

[[summary]]
when = "kind == 'told'"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}A process{% endif %}
{%- if host %} on {{ host }}{% endif %} waited too long in
{% if op %}{{ op }}{% if seq is not none %} {{ seq }}{% endif %}{% else %}a collective
{%- endif %}: {{ message | cut }}'''

[[summary]]
when = "kind == 'monitor'"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}A rank{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %}
{% if section %}did not leave section {{ section }}
{%- elif never_heard %}never sent a heartbeat{% else %}sent no heartbeat{% endif %}
{%- if unheard_seconds %} for {{ unheard_seconds | duration }}{% endif %} and
{{ (ranks or [0]) | agree('was', 'were') }} ended by the monitor of NVRx'''

[[summary]]
when = "kind == 'xla'"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}A process{% endif %}
{%- if host %} on {{ host }}{% endif %} gave up {{ op }} of XLA after
{{ (timeout_ms / 1000) | duration }}: not all of its devices came'''

[[summary]]
when = "kind == 'heartbeat'"
say = '''
The {% if ranks %}watchdog {{ ranks | agree('thread', 'threads') }} of {{ ranks | ranks }}
{{ ranks | agree('was', 'were') }}{% else %}watchdog thread of a process was{% endif %} stuck
{%- if stuck_seconds %} for {{ stuck_seconds | duration }}{% endif %}: blocked by a CUDA or NCCL
call that does not return, or by the GIL (heartbeat monitor).'''

[[summary]]
when = "kind == 'status' and seq is not none"
say = '''
The {{ ranks | agree('watchdog', 'watchdogs') }} of {{ ranks | ranks }}
{{ ranks | agree('reports', 'report') }} that collective {{ seq }}
{%- if group %} of group {{ group }}{% endif %} failed or timed out.'''

[[summary]]
when = "kind == 'status'"
say = '''The {{ ranks | agree('watchdog', 'watchdogs') }} of {{ ranks | ranks }} {{ ranks |
  agree('reports', 'report') }} a timeout in a collective; this log does not say which.'''

[[summary]]
when = "kind == 'last_word'"
say = '''
{% if ranks %}The {{ ranks | agree('watchdog', 'watchdogs') }} of {{ ranks | ranks }}
{%- else %}A watchdog{% endif %} took
{% if ranks | length > 1 %}their processes{% else %}its process{% endif %} down after a collective
that failed or timed out; this log does not say which.'''

[[step]]
when = '''kind == 'timeout' and not all_alike and not ops
  and (op or '') | lower not in ('send', 'recv')'''
say = '''Look at {% if awaited_ranks %}{{ awaited_ranks | ranks }} first{% else %}the other ranks of
  the group{% endif %}, not at {{ ranks | ranks }}: their stacks, the last lines of their own logs,
  the kernel logs of their hosts tell who did not come and why.'''
run = ["pgrep -af python", "dmesg -T | grep -iE 'xid|out of memory|blocked for more'"]

[[step]]
when = "ops and seq is not none"
say = '''Find the place in the code where {{ ops | names }} are called as number {{ seq }}: the
  ranks took different ways before it.'''

[[step]]
when = "elsewhere"
say = '''Compare the way through the code of {{ elsewhere[0].ranks | ranks }}, which {{
  elsewhere[0].ranks | agree('is', 'are') }} in number {{ elsewhere[0].seq }}, with that of the
  ranks in {{ seq }}: a collective was skipped, or called once too often.'''

[[step]]
when = "op and op | lower in ('send', 'recv') and not all_alike and not whole_job"
say = '''Look at the {{ ranks | agree('peer', 'peers') }} of {{ ranks | ranks }}: see whether {{
  ranks | agree('it', 'they') }} came to {{ ranks | agree('its', 'their') }} side of this {{ op |
  lower }}, or {{ ranks | agree('is', 'are') }} in another operation.'''

[[step]]
when = "whole_job"
say = '''All ranks waited for each other, so test the path between {{ hosts | names }}: an interface
  that was down, drops packets or lost its address, a firewall or a switch. Read the kernel logs for
  the time before the timeout, then send data from each host to each other one.'''
run = [
  "dmesg -T | grep -iE 'link is (down|up)|carrier|nic'",
  "ip -s -br link",
  "ping -c 3 -M do -s 1400 {{ hosts[0] }}",
]

[[step]]
when = "kind == 'timeout' and seq is not none and seq <= 1"
say = '''This is the first collective of its group, so its connections may never have come up:
  check that the hosts reach each other on the interface NCCL chose, firewall included.'''
run = [
  "export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,BOOTSTRAP,NET",
  "ip -br addr",
  "srun -N 2 --ntasks-per-node=1 all_reduce_perf -b 8 -e 8M -f 2 -g 1",
]

[[step]]
when = "all_alike and not (seq is not none and seq <= 1) and vendor != 'amd'"
say = '''None of these ranks is late. Where others of the group are not heard of, look at those
  first; otherwise test the path between these
  {%- if hosts %} on {{ hosts | names }}{% endif %}: read the kernel logs from
  {% if started %}{{ started }}{% else %}the time the collective began{% endif %} on, then run
  NCCL's test on these hosts alone.'''
run = [
  "dmesg -T | grep -iE 'xid|nvlink|mlx5|link is (down|up)'",
  "nvidia-smi nvlink -e",
  "all_reduce_perf -b 8M -e 1G -f 2 -g 8",
  "ibstat",
]

[[step]]
when = "all_alike and not (seq is not none and seq <= 1) and vendor == 'amd'"
say = '''None of these ranks is late. Where others of the group are not heard of, look at those
  first; otherwise test the path between these
  {%- if hosts %} on {{ hosts | names }}{% endif %}: read the kernel logs from
  {% if started %}{{ started }}{% else %}the time the collective began{% endif %} on, then run
  RCCL's test on these hosts alone.'''
run = [
  "dmesg -T | grep -iE 'amdgpu|xgmi|mlx5|link is (down|up)'",
  "rocm-smi --showxgmierr",
  "all_reduce_perf -b 8M -e 1G -f 2 -g 8",
  "ibstat",
]

[[step]]
when = "all_alike and hosts | length > 2"
say = '''If it hangs there too, halve the set of hosts until two are left, and take those out of
  the pool.'''
run = ["srun --exclude={{ hosts[:(hosts | length / 2) | int] | join(',') }} …"]

[[step]]
when = "all_alike and hosts | length == 1 and (ranks or []) | length > 2"
say = '''Part the two suspects: run once within {{ hosts | names }} with the loopback interface
  alone, which leaves the network out, then with one half of its GPUs and with the other.'''
run = [
  "NCCL_SOCKET_IFNAME=lo all_reduce_perf -b 8M -e 1G -f 2 -g {{ ranks | length }}",
  "CUDA_VISIBLE_DEVICES=0,1,2,3 all_reduce_perf -b 8M -e 1G -f 2 -g 4",
]

[[step]]
when = "kind == 'hccl'"
say = '''Look {% if peer_rank is not none %}at rank {{ peer_rank }} of the group{% else %}for the
  rank that reports another error, or none{% endif %}: the others waited for it. Where all report
  this one, test the links between the NPUs.'''
run = ["grep -rn 'error cqe' ~/ascend/log", "hccn_tool -i 0 -link -g", "env | grep HCCL_"]

[[step]]
when = "kind in ('told', 'xla')"
say = '''Look for the rank that tells something else, or nothing: the others waited for it. Where
  all wait alike, see where they stand: two stacks of each, seconds apart.'''
run = ["pgrep -af python", "dmesg -T | grep -iE 'xid|out of memory|blocked for more'"]

[[step]]
when = "kind == 'heartbeat' or stuck_seconds"
say = '''See what blocks the watchdog of {{ (stuck_ranks or ranks) | ranks }}
  {%- if hosts %} on {{ hosts | names }}{% endif %}: native stacks of all threads tell whether a
  CUDA call or the GIL does. A GPU that fell off the bus does the same: read the kernel log, too.'''
run = [
  "py-spy dump --native --pid {{ pids[0] }}",
  "gstack {{ pids[0] }}",
  "dmesg -T | grep -i xid",
]

[[step]]
when = "kind == 'heartbeat'"
say = '''If it was a long compilation or save and no hang, give the monitor more time.'''
run = ["export TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=1800"]

[[step]]
when = "kind == 'monitor'"
say = '''See where {% if ranks %}{{ ranks | ranks }}{% else %}the ranks{% endif %} stood: the
  monitor does not tell a rank that hangs from one that waits for it. Have the next run write Flight
  Recorder dumps, and stacks before the monitor's limit.'''
run = [
  "export TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1",
  "py-spy dump --pid {{ pids[0] }}",
]

[[step]]
when = "kind == 'monitor'"
say = '''
If it was a long save, evaluation or compilation and no hang, give the monitor more time.
'''
run = [
  """{% if section %}ft_launcher --ft-rank-section-timeouts={{ section }}:1800 …
{%- elif never_heard %}ft_launcher --ft-initial-rank-heartbeat-timeout=3600 …
{%- else %}ft_launcher --ft-rank-heartbeat-timeout=1800 …{% endif %}""",
]

[[step]]
when = "kind in ('status', 'last_word')"
say = '''Get the whole log of {% if ranks %}{{ ranks | ranks }}{% else %}each rank{% endif %}:
  the line of the watchdog that names the operation, or the error before it, is missing here. Have
  the next run write Flight Recorder dumps.'''
run = ["export TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1"]

[[step]]
otherwise = true
say = '''Look for the process that says nothing of this timeout, or that ended before it: the
  others waited for it.'''
run = ["pgrep -af python"]
*/
select
    'timeout' as kind,
    true as waited,
    c.evidence || coalesce(b.evidence[:3], []) as evidence,
    c.started as "at",
    c.until,
    c.ranks,
    c.hosts,
    c.grp as "group",
    c.seq,
    -- gloo knows a part of the collective only, which it names: a receive of a barrier
    coalesce(g.collective, c.op) as op,
    case when len(c.ops) > 1 then c.ops end as ops,
    c.timeout_ms,
    c.ran_ms,
    -- of all that are waited for, those that do not wait themselves
    nullif(
        list_filter(c.awaited_ranks, lambda r: not list_contains(coalesce(c.ranks, []), r)), []
    ) as awaited_ranks,
    c.numel_in,
    c.numel_out,
    c.last_completed,
    c.last_enqueued,
    strftime(c.started, '%Y-%m-%d %H:%M:%S') as started,
    c.elsewhere,
    case
        when
            len(c.ranks) > 1
            and c.seq = c.last_seq
            and c.is_of_one_op
            and not exists (from missing_rank_suspect where len(ranks) > 0)
        then true
    end as all_alike,
    -- gloo counts no collectives: nobody is behind where all of the job, on several hosts, wait
    case
        when
            c.seq is null
            and len(c.hosts) > 1
            and len(c.ranks) >= (select max(world_size) from identity_link)
            and not exists (from missing_rank_suspect where len(ranks) > 0)
        then true
    end as whole_job,
    nullif(c.groups_after, 0) as groups_after,
    case
        when exists (from setting where name = 'RCCL') or exists (from cuda_error where api = 'hip')
        then 'amd'
    end as vendor,
    b.stuck_seconds,
    b.ranks as stuck_ranks
from timed_out_collective c
left join stuck_watchdog b on true
left join
    (
        select any_value(collective) as collective
        from c10d_called
        having count(distinct collective) = 1
    ) g
    on true
union all by name
select
    'heartbeat' as kind,
    evidence,
    started as "at",
    time as until,
    ranks,
    list_distinct(hosts || exit_hosts) as hosts,
    grp as "group",
    strftime(time - to_seconds(coalesce(stuck_seconds, 0)), '%Y-%m-%d %H:%M:%S') as started,
    stuck_seconds,
    ranks as stuck_ranks,
    queued,
    exit_hosts[1] as host
from stuck_watchdog
where not exists (from timed_out_collective)
union all by name
select
    'status' as kind,
    true as waited,
    evidence,
    "at",
    until,
    ranks,
    hosts,
    grp as "group",
    seq,
    last_completed,
    case when not is_of_timeout then 'possible' end as confidence
from timeout_status
where not exists (from timed_out_collective) and not exists (from stuck_watchdog)
union all by name
select
    'last_word' as kind,
    true as waited,
    * exclude (is_alone, is_timeout),
    case when is_timeout then 'probable' else 'possible' end as confidence,
    case when not is_timeout then 'info' end as severity
from watchdog_last_word
where
    not exists (from timed_out_collective)
    and not exists (from stuck_watchdog)
    and not exists (from c10d_status_line)
union all by name
select
    'hccl' as kind,
    true as waited,
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct e.told_rank order by e.told_rank) filter (e.told_rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    list(distinct pid) filter (pid is not null) as pids,
    list(distinct gpu_index::varchar) filter (gpu_index is not null) as gpus,
    any_value(c.hccl_code) filter (e.is_implied is not true) as code,
    any_value(left(message, 200)) as error,
    -- the rank that did not come, by its number in the group, where all wait for the same
    case when count(distinct remote_rank) = 1 then max(remote_rank) end as peer_rank,
    case when count(distinct group_name) = 1 then max(group_name) end as group,
    max(
        try_cast(regexp_extract(message, '\btimeout: ?([0-9]+)', 1) as bigint)
        * case when regexp_matches(message, '\btimeout: ?[0-9]+ ?min') then 60000 else 1000 end
    ) as timeout_ms
from
    (
        select
            h.* replace (coalesce(h.pid, i.pid) as pid),
            coalesce(f.rank, i.rank) as told_rank,
            try_cast(
                regexp_extract(h.message, 'remote rank: ?\[([0-9]+)\]', 1) as bigint
            ) as remote_rank,
            nullif(regexp_extract(h.message, '\[group:\[([^\]]+)\]', 1), '') as group_name
        from hccl_error h
        left join
            library_failure f
            on f.library = 'hccl'
            and f.file_id = h.file_id
            and f.line_no = h.line_no
        -- torch_npu says whose process it is, some lines above
        left join
            identity i
            on i.learnt_from = 'torch_npu'
            and i.file_id = h.file_id
            and i.stream is not distinct from h.stream
            and h.line_no - i.line_no between 1 and 6
            and h.pid is null
        qualify
            row_number() over (
                partition by h.file_id, h.line_no, h.hccl_code order by i.line_no desc nulls last
            )
            = 1
    ) e
join hccl_code c using (hccl_code)
where c.class = 'collective' and not exists (from timed_out_collective)
having count(*) > 0
union all by name
select
    'xla' as kind,
    true as waited,
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    arg_min(op, (file_id, line_no)) as op,
    max(1000 * seconds)::bigint as timeout_ms
from coordination_task
where event = 'collective'
having count(*) > 0
union all by name
select
    'monitor' as kind,
    true as waited,
    * exclude (seconds),
    seconds as unheard_seconds,
    'probable' as confidence
from unheard_rank
where not exists (from timed_out_collective) and not exists (from stuck_watchdog)
union all by name
-- in the words of the program itself
select
    'told' as kind,
    true as waited,
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no)[:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    arg_min(op, (file_id, line_no)) as op,
    arg_min(seq, (file_id, line_no)) as seq,
    arg_min(text, (file_id, line_no)) as message,
    'probable' as confidence
from communication_told
where kind = 'timeout'
having count(*) > 0
