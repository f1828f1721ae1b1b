/*
title = "Communicator init or rendezvous never completed"
severity = "critical"
confidence = "probable"
status = "stable"
about = """
Init is a meeting of all ranks: it ends on all of them or on none. Ranks that started and never
completed wait for one that did not come, or for a connection that is not made. A rank whose log is
not here is not observed, which is not the same as missing.
"""
false_positives = """
The log was cut during init: without any other sign of trouble this is information only.
"""

[[summary]]
when = "told"
say = '''
Not all processes came to the start: {{ told | cut(200) }}
'''

[[summary]]
when = "kind == 'communicator'"
say = '''
Init of a communicator of {{ nranks | count('rank') }} did not complete:
{{ ranks | ranks }} started it,
{% if completed %}only {{ completed | ranks }} finished{% else %}none finished{% endif %}
{%- if missing %}; {{ missing | ranks }} never
{{ missing | agree('appears', 'appear') }} in the logs{% endif %}.'''

[[summary]]
when = "kind == 'resources'"
say = '''
The cluster has no place for what the job asks of it{% if waited_seconds %} after
{{ waited_seconds | duration }}{% endif %}
{%- if request %}: {{ request | cut }}{% endif %}'''

[[summary]]
when = "kind == 'rendezvous_closed'"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% elif hosts %}The agent on {{ hosts | names }}
{%- else %}A launcher's agent{% endif %} found the rendezvous closed: another agent of the job had
ended before.'''

[[summary]]
when = "kind == 'neuron'"
say = '''
Workers waited for others at the start of Neuron's collectives and gave up: {{ error | cut }}'''

[[summary]]
when = "kind == 'duplicate_rank'"
say = "Two processes came to the communicator as {{ ranks | ranks }} of {{ nranks }}."

[[summary]]
when = "kind == 'rank_count_mismatch'"
say = '''Processes came to one communicator with different sizes: {{ sizes[0] }} and {{ sizes[1]
  }} ranks.'''

[[summary]]
when = "kind == 'too_many'"
say = '''{{ joined }} processes came to the {{ stage }} of a group of {{ nranks }}: the world
  size is wrong, or the store holds keys of an earlier attempt.'''

[[summary]]
when = "kind == 'store' and stage == 'unique_id'"
say = '''{% if ranks %}{{ ranks | ranks | capital }}{% else %}Processes{% endif %} waited in the
  store for the id of a communicator, which rank {{ awaited }} of the group has to leave there: {%
  if error %}{{ error | lower }}{% else %}it never came{% endif %}.'''

[[summary]]
when = "kind == 'store'"
say = '''
{%- set meeting = {'store': 'in the store', 'gloo_connect': "for gloo's connections"} -%}
{%- if nranks and joined -%}
  {{ joined }} of {{ nranks }} ranks came to the {{ stage | replace('_', ' ') }}, the others never
  did
{%- else -%}
  {% if ranks %}{{ ranks | ranks | capital }}{% else %}Processes{% endif %} waited for the others
  {{ meeting.get(stage, 'at the rendezvous') }} and gave up
{%- endif -%}
{%- if missing and joined -%}
  : {{ missing | ranks }}
{%- elif missing -%}
  : {{ missing | ranks }} never left {{ missing | agree('its', 'their') }} address there
{%- endif -%}
.'''

[[summary]]
when = "kind == 'ras'"
say = '''{{ unfinished }} of {{ nranks }} ranks of a communicator {{ unfinished | agree('is',
  'are') }} still in init, which the others have finished (NCCL RAS{% if severity == 'critical'
  %}, in two snapshots{% endif %}).'''

[[summary]]
when = "kind == 'jax'"
say = '''
Not all processes came to the barrier at the start of the job (JAX, TensorFlow)
{%- if missing -%}
  : {{ missing | agree('process', 'processes') }} {{ missing | ranges }} never did
{%- endif -%}
.'''

[[summary]]
when = "kind == 'jax_stuck'"
say = '''
Threads of {% if hosts %}{{ hosts | names }}{% else %}a process{% endif %} wait for others to join
a meeting of devices (XLA: may be stuck), and the log ends before they came.'''

[[summary]]
when = "kind == 'session'"
say = '''
A session of TensorFlow waits{% if seconds %} {{ seconds | duration }}{% endif %} for other tasks of
its cluster{% if awaited_tasks %} ({{ awaited_tasks | names }}){% endif %}, and the log ends before
they answered.
'''

[[summary]]
when = "kind == 'hccl'"
say = '''{% if ranks %}{{ ranks | ranks | capital }}{% else %}A process{% endif %} waited for
  another rank to connect and gave up{% if code %} (HCCL {{ code | names }}){% endif %}
  {%- if error %}: {{ error }}{% endif %}'''

[[summary]]
when = "kind == 'told'"
say = '''
{% if joined is not none and nranks %}{{ joined }} of {{ nranks }} ranks came to the start of the
job, the others never did{% else %}Not all ranks came to the start of the job{% endif %}
{%- if missing %} ({{ missing | ranks }}){% endif %}: {{ error | cut }}'''

[[summary]]
when = "kind == 'members'"
say = '''
{{ ranks | ranks | capital }} of {{ nranks }} came to the start of the job
{%- if came_times %}, each of them {{ 'twice' if came_times == 2 else came_times ~ ' times' }}
{%- endif %}, and the {{ 'log ends' if logs == 1 else 'logs end' }} there.'''

[[summary]]
when = "kind == 'standstill'"
say = '''{% if processes > 1 %}All {{ processes }} dumped processes are{% elif ranks %}
{{ ranks | ranks | capital }} is{% else %}The dumped process is{% endif %}
waiting in {{ waiting_function }}
{%- if minutes %}, {{ minutes }} min after faulthandler's timer was set
{%- else %}, and somebody says that the program hangs{% endif %}.'''

[[summary]]
when = "kind == 'stacks'"
say = '''{{ waiting | count('process', 'processes') }} {{ waiting | agree('waits', 'wait') }} in
  init
  ({{ waiting_function }}) for {% if ranks %}{{ ranks | ranks }}{% else %}a process{% endif %}
  {%- if pid %} (pid {{ pid }}{% if host %} on {{ host }}{% endif %}){% elif host %} on {{ host }}
  {%- endif %}
  {%- if why == 'died' %}, which died before it came there
  {%- elif why == 'gone' %}, whose process was gone when it was to be dumped
  {%- elif why == 'undumped' %}, of which there is no dump
  {%- elif minority_frame %}, in {{ minority_frame }}
  {%- endif %}.'''

[[step]]
when = "told"
say = '''
Look for the processes that did not come: whether they were started, and what they wrote last.
'''

[[step]]
when = "kind == 'stacks' and why == 'apart' and pid"
say = '''See what {% if ranks %}{{ ranks | ranks }}{% else %}process {{ pid }}{% endif %}
  {%- if host %} on {{ host }}{% endif %} does before it comes to init{% if minority_function %}:
  {{ minority_function }} has not returned{% endif %}. What only one rank has to do (a cache, a
  download, a build) must not keep the others in init longer than their timeout.'''
run = ["py-spy dump --native --pid {{ pid }}", "strace -f -y -T -p {{ pid }}"]

[[step]]
when = "kind == 'stacks' and why == 'undumped'"
say = '''See whether {{ ranks | ranks }} {{ ranks | agree('was', 'were') }} started at all, and how
  {{ ranks | agree('it', 'they') }} ended if so.
  {%- if server_missing %} Rank 0 serves the store that the others try to reach.{% endif %}'''
run = ["pgrep -af python", 'ss -ltnp sport = :"$MASTER_PORT"', "env | grep MASTER_"]

[[step]]
when = "kind == 'stacks' and why in ('died', 'gone')"
say = '''Find out why {{ ranks | ranks }} {{ 'died' if why == 'died' else 'ended' }}
  {%- if host %} on {{ host }}{% endif %}: the others wait in init until their timeout. Let the
  launcher end the job when one task fails.'''
run = ["dmesg -T | grep -iE 'out of memory|oom-kill|segfault'", "srun --kill-on-bad-exit=1"]

[[step]]
when = "kind == 'resources'"
say = '''Compare what is asked for with what the cluster has: nodes that did not join, GPUs that
  another job or a dead actor still holds, an address that no node is known by.'''
run = ["ray status", "ray list nodes", "ray list placement-groups"]

[[step]]
when = "kind == 'rendezvous_closed'"
say = '''Read the log of the agent that ended first: it closed the rendezvous, and agents that
  come after it find it closed. To start again, use a new --rdzv-id.'''
run = ["sacct -j $SLURM_JOB_ID -o JobID,State,ExitCode,Start,End,NodeList"]

[[step]]
when = "kind == 'neuron'"
say = '''See whether all workers were started with the same world size and the same
  NEURON_RT_ROOT_COMM_ID, and whether their hosts reach that address.'''
run = ["env | grep -E 'NEURON_RT|MASTER_|WORLD_SIZE'", "neuron-ls"]

[[step]]
when = "kind == 'hccl'"
say = '''Look for a rank with another error, or with none at all: it did not come to the meeting.
  Where
  all ranks report this, compare their times: if they are further apart than HCCL_CONNECT_TIMEOUT
  (120 s),
  the slowest start is at fault. Then check the links between the NPUs.'''
run = [
  "export HCCL_CONNECT_TIMEOUT=600",
  "hccn_tool -i 0 -link -g",
  "hccn_tool -i 0 -tls -g",
  "env | grep HCCL_",
]

[[step]]
when = "missing and kind in ('communicator', 'store', 'told')"
say = '''See whether {{ missing | ranks }} {{ missing | agree('was', 'were') }} started: the
  process, its host, an exception before init, the end of {{ missing | agree('its', 'their') }}
  own log.'''
run = ["pgrep -af python"]

[[step]]
when = "kind == 'communicator' and stage == 'bootstrap'"
say = '''{% if missing %}If {{ missing | ranks }} did start, check{% else %}Check{% endif %} that
  {% if hosts | length > 1 %}{{ hosts | names }}{% else %}the hosts{% endif %} reach each other on
  the interface NCCL bootstraps on: name it, and have NCCL log what it does.'''
run = [
  "ping -c 3 {{ hosts[1] }}",
  "ip -br addr",
  "export NCCL_SOCKET_IFNAME=eth0",
  "export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,BOOTSTRAP,NET",
]

[[step]]
when = "kind == 'communicator' and stage == 'connect'"
say = '''The ranks found each other and could not set up their transports: read the NET lines of
  NCCL_DEBUG, then try once without InfiniBand and once without P2P to see which path it is.'''
run = ["NCCL_DEBUG=INFO NCCL_IB_DISABLE=1", "NCCL_DEBUG=INFO NCCL_P2P_DISABLE=1", "ibstat"]

[[step]]
when = "came_times"
say = '''
If the job was not started anew in between, its {{ came_times }} launchers take themselves for the
same node, start the same ranks, and nobody starts the others: give each a number of its own
(NODE_RANK, --node_rank).
'''
run = ["env | grep -E 'NODE_RANK|GROUP_RANK|SLURM_NODEID|MASTER_'"]

[[step]]
when = "kind == 'members' and not came_times or kind == 'told' and not missing"
say = "See which ranks were started, and whether their hosts reach the place where they meet."
run = ["pgrep -af python", "env | grep -E 'MASTER_|WORLD_SIZE'", "ip -br addr"]

[[step]]
when = "kind == 'duplicate_rank'"
say = '''Give every process a rank of its own: two were started with RANK={{ rank }}, by hand, by
  two launchers, or left over from the attempt before.'''
run = ["pgrep -af python", "env | grep -E 'LOCAL_RANK|WORLD_SIZE|MASTER_'"]

[[step]]
when = "kind == 'rank_count_mismatch'"
say = "Start all processes with the same world size, and every job with a port of its own."
run = ["env | grep -E 'LOCAL_RANK|WORLD_SIZE|MASTER_'"]

[[step]]
when = "kind == 'too_many'"
say = '''Compare WORLD_SIZE ({{ nranks }}) with the number of processes that are started, and use
  a fresh store for each attempt: another port, or a new --rdzv-id.'''

[[step]]
when = "kind == 'store' and stage == 'unique_id'"
say = '''Look at rank {{ awaited }} of the group{% if group %} {{ group }}{% endif %}: it died,
  or did not come to this communicator. The end of its own log tells.'''

[[step]]
when = "kind == 'store' and met_without"
say = '''
Compare the number of ranks that {{ ranks | ranks }} and {{ met_without | ranks }} were started with
(WORLD_SIZE, --nnodes, --nproc-per-node): the latter have met without {{ missing | ranks }}.
'''
run = ["env | grep -iE 'world_size|master_'"]

[[step]]
when = "kind == 'store' and stage == 'gloo_connect'"
say = "Check that the hosts reach each other on the interface gloo takes, and name it."
run = ["ip -br addr", "export GLOO_SOCKET_IFNAME=eth0"]

[[step]]
when = "kind == 'store' and stage in ('store', 'rendezvous') and not missing"
say = '''See whether the ranks that did not come were started, and whether their hosts reach the
  store.'''
run = ['nc -vz "$MASTER_ADDR" "$MASTER_PORT"', "pgrep -af python"]

[[step]]
when = "kind == 'ras' and severity == 'critical'"
say = '''See what {% if ranks %}{{ ranks | ranks }}{% else %}these ranks{% endif %}
  {%- if hosts %} on {{ hosts | names }}{% endif %} wait
  for: stack, NCCL's INIT and NET lines, kernel log.'''
run = ["py-spy dump --native --pid {{ pids[0] }}", "dmesg -T | tail -n 100"]

[[step]]
when = "kind == 'ras' and severity != 'critical'"
say = "Take a second snapshot a minute later: only if it says the same, these ranks hang in init."
run = ["ncclras -v"]

[[step]]
when = "kind == 'standstill'"
say = '''
Dump every process of the job, on all its hosts: the one that stands elsewhere is whom the others
wait for. If all wait here, compare the address, the port and the number of ranks they were given.
'''
run = ["py-spy dump --pid {{ pids[0] }}"]

[[step]]
when = "kind == 'jax_stuck'"
say = '''See whether all processes run, take the same way through the program and make the same
devices visible: one that died, or compiles something else, keeps the others waiting.'''
run = ["pgrep -af python", "py-spy dump --pid {{ pids[0] }}"]

[[step]]
when = "kind == 'session'"
say = '''
See whether {% if awaited_tasks %}{{ awaited_tasks | names }}{% else %}the other tasks{% endif %}
run, at the addresses that the cluster specification gives them, and are given the same one. A
worker that needs no other worker may be told so (device_filters).
'''
run = ["echo $TF_CONFIG", "ss -ltnp | grep python"]

[[step]]
when = "kind == 'jax'"
say = '''See whether {% if missing %}{{ missing | agree('process', 'processes') }} {{ missing |
  ranges }}{% else %}the processes that did not come{% endif %} were started, with the same
  coordinator address and num_processes, and can reach it.'''
*/
select
    'communicator' as kind,
    coalesce(len(completed), 0) = 0 as waited,
    evidence || coalesce(
        (
            select list(line_at(file_id, line_no))
            from (from trouble_sign order by time nulls last limit 2)
        ),
        []
    ) as evidence,
    "at",
    incomplete as ranks,
    hosts,
    nranks,
    case when knows_peers then 'connect' else 'bootstrap' end as stage,
    completed,
    case when len(absent) > 0 then absent end as missing,
    comm_key as "group",
    case when not failed and exists (from trouble_sign) then 'critical' else 'info' end as severity,
    case when exists (from trouble_sign) then 'probable' else 'possible' end as confidence
from unfinished_communicator
union all by name
select
    event as kind,
    list(line_at(file_id, line_no)) as evidence,
    min(time) as "at",
    case event when 'duplicate_rank' then list(distinct rank_a) end as ranks,
    list(distinct host) filter (host is not null) as hosts,
    max(nranks) as nranks,
    'bootstrap' as stage,
    case event when 'rank_count_mismatch' then [rank_a, rank_b] end as sizes,
    'definite' as confidence
from nccl_usage
where event in ('duplicate_rank', 'rank_count_mismatch')
group by event, rank_a, rank_b, nranks
union all by name
select
    case when too_many_joined then 'too_many' else 'store' end as kind,
    not too_many_joined as waited,
    w.* exclude (too_many_joined, is_last_word),
    -- those who go on to connect have met in the store without whom one there still misses
    case when w.stage = 'store' and w.missing is not null then o.ranks end as met_without,
    case
        when is_last_word or w.stage = 'gloo_connect' and o.missing is not null
        then 'possible'
        else 'probable'
    end as confidence
from store_wait w
left join
    (select stage, ranks, missing from store_wait) o
    on o.stage <> w.stage
    and o.stage in ('store', 'gloo_connect')
    and w.stage in ('store', 'gloo_connect')
    and len(o.ranks) > 0
    and not list_has_any(o.ranks, w.ranks)
    and not list_has_any(coalesce(o.missing, []), w.ranks)
    and not list_has_any(coalesce(w.missing, []), o.ranks)
union all by name
-- Another agent had ended, and closed the rendezvous, before this one came to it.
select
    'rendezvous_closed' as kind,
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence,
    min(time) as "at",
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'rendezvous' as stage,
    'possible' as confidence
from c10d_store
where
    event = 'rendezvous'
    and error = 'RendezvousClosedError'
    and not exists (from store_wait)
    and not exists (from fatal_exception)
    and not exists (from connect_failure)
    and not exists (from c10d_timeout_line)
    and not exists (from c10d_nccl_error)
    and not exists (from oom_event)
    and not exists (from death where signal in (4, 6, 7, 8, 9, 11))
    and not exists (from "exit" where source = 'torchelastic')
having count(*) > 0
union all by name
-- Lightning's processes count themselves as they come, and say so when all are there.
select
    'members' as kind,
    true as waited,
    list(line_at(i.file_id, i.line_no) order by i.file_id, i.line_no)[:20] as evidence,
    min(i.time) as "at",
    list(distinct i.rank order by i.rank) as ranks,
    list(distinct i.host) filter (i.host is not null) as hosts,
    max(i.world_size) as nranks,
    count(distinct i.file_id) as logs,
    -- as often as would make all of them: launchers that take themselves for the same node
    case
        when
            count(*) = max(i.world_size)
            and count(*) % count(distinct i.rank) = 0
            and count(*) > count(distinct i.rank)
        then divide(count(*), count(distinct i.rank))
    end as came_times,
    'rendezvous' as stage,
    'possible' as confidence
from
    (
        select *, max(line_no) over (partition by file_id) as last_line
        from identity
        where learnt_from = 'lightning'
    ) i
join file f using (file_id)
where
    not exists (from training_line)
    and not exists (from metric)
    and not exists (from progress_bar)
    and not exists (from trouble_sign)
having count(distinct i.rank) < max(i.world_size) and bool_and(f.lines - i.last_line < 3)
union all by name
-- Neuron's collectives, whose bootstrap is NCCL's in its own name.
select
    'neuron' as kind,
    true as waited,
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence,
    min(time) as "at",
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    list(distinct pid) filter (pid is not null) as pids,
    'bootstrap' as stage,
    any_value(message) as error,
    'probable' as confidence
from library_trouble
where library = 'ccom' and class = 'start' and not exists (from metric)
having count(*) > 0
union all by name
-- A moment of the start, unless a second snapshot says the same.
select
    'ras' as kind,
    evidence,
    time as "at",
    ranks::bigint[] as ranks,
    hosts,
    nranks::bigint as nranks,
    n as unfinished,
    'connect' as stage,
    comm_hash as "group",
    pids,
    case when stalled then 'critical' else 'info' end as severity,
    case when stalled then 'probable' else 'possible' end as confidence
from ras_state
where ras_status = 'INIT' and latest and states > 1
union all by name
select
    'jax' as kind,
    true as waited,
    list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence,
    min(time) as "at",
    list(distinct host) filter (host is not null) as hosts,
    'store' as stage,
    (
        select list_sort(list(distinct lost_task)) from coordination_listed where event = 'start'
    ) as missing,
    'probable' as confidence
from coordination_task
where event = 'start'
having count(*) > 0
union all by name
-- The service still counted who was not there when its log ended.
select
    'jax' as kind,
    true as waited,
    list(line_at(c.file_id, c.line_no))
    || list(distinct line_at(l.file_id, l.head_line)) filter (l.file_id is not null) as evidence,
    min(c.time) as "at",
    list(distinct c.host) filter (c.host is not null) as hosts,
    'store' as stage,
    max(c.expected) as nranks,
    max(c.expected - c.tasks_awaited) as joined,
    list_sort(list(distinct l.lost_task) filter (l.lost_task is not null)) as missing,
    case
        when exists (from trouble_sign)
        then 'critical'
        when exists (from ended_from_outside)
        then 'warning'
        else 'info'
    end as severity,
    case when exists (from trouble_sign) then 'probable' else 'possible' end as confidence
from
    (
        select *
        from coordination_task
        where event = 'connecting'
        qualify row_number() over (partition by file_id order by line_no desc) = 1
    ) c
left join
    coordination_listed l
    on l.file_id = c.file_id
    and l.event = 'straggler'
    and l.head_line > c.line_no
where
    c.tasks_awaited > 0
    and not exists (from coordination_task where event = 'start')
    and not exists (from metric_span)
    and not exists (from training_line)
having count(*) > 0
union all by name
-- What waits for a place in the cluster, and never got one.
select
    'resources' as kind,
    list(line_at(w.file_id, w.line_no) order by w.file_id, w.line_no)[:20] as evidence,
    min(w.time) as "at",
    list(distinct w.host) filter (w.host is not null) as hosts,
    'resources' as stage,
    max(waited_seconds) as waited_seconds,
    arg_max(request, (w.file_id, w.line_no)) filter (request is not null) as request,
    ['crash.exception'] as explains,
    'probable' as confidence
from resource_wait w
join file f using (file_id)
where
    -- the last that is said, or an error comes of it
    f.lines - w.line_no <= case
        when exists (from fatal_exception)
        then 60
        -- whose end prints a stack
        when
            exists (
                from death d
                where d.file_id = w.file_id and d.line_no > w.line_no and d.signal in (2, 15)
            )
        then 30
        else 1
    end
    and not exists (from training_line)
    and not exists (from metric_span)
    and not exists (from done_line)
having count(*) > 0 and coalesce(max(waited_seconds), 60) >= 60
union all by name
-- A warning that is taken back where the others come after all.
select
    'jax_stuck' as kind,
    list(line_at(t.file_id, t.line_no) order by t.file_id, t.line_no)[:20] as evidence,
    min(t.time) as "at",
    list(distinct t.host) filter (t.host is not null) as hosts,
    'connect' as stage,
    'warning' as severity,
    'possible' as confidence
from coordination_task t
join file f using (file_id)
where
    t.event = 'stuck'
    and f.lines - t.line_no <= 60
    and not exists (
        from coordination_task where event in ('moving', 'start', 'barrier', 'collective')
    )
    and not exists (from metric_span m where m.file_id = t.file_id and m.last_line > t.line_no)
having count(*) > 0
union all by name
-- Said anew until all of them have answered.
select
    'session' as kind,
    list(line_at(t.file_id, t.line_no) order by t.file_id, t.line_no desc)[:20] as evidence,
    min(t.time) as "at",
    list(distinct t.host) filter (t.host is not null) as hosts,
    'session' as stage,
    list_sort(
        list(distinct regexp_replace(t.awaited_task, '/replica:[0-9]+/task:', ' ')) filter (
            t.awaited_task is not null
        )
    ) as awaited_tasks,
    nullif(date_diff('second', min(t.time), max(t.time)), 0) as seconds,
    case when count(*) < 3 then 'warning' end as severity,
    case when count(*) < 3 then 'possible' else 'probable' end as confidence
from coordination_task t
join file f using (file_id)
where
    t.event = 'session'
    and not exists (
        from coordination_task r
        where r.event = 'ready' and r.file_id = t.file_id and r.line_no > t.line_no
    )
    and not exists (from metric_span m where m.file_id = t.file_id and m.last_line > t.line_no)
    and exists (
        from coordination_task l
        where l.event = 'session' and l.file_id = t.file_id and f.lines - l.line_no <= 10
    )
having count(*) > 0
union all by name
select
    'hccl' as kind,
    true as waited,
    list(line_at(e.file_id, e.line_no) order by e.file_id, e.line_no)[:20] as evidence,
    min(e.time) as "at",
    list(distinct e.rank order by e.rank) filter (e.rank is not null) as ranks,
    list(distinct e.host) filter (e.host is not null) as hosts,
    list(distinct e.pid) filter (e.pid is not null) as pids,
    'connect' as stage,
    list(distinct e.hccl_code order by e.hccl_code) filter (e.is_implied is not true) as code,
    left(any_value(regexp_replace(e.message, ' *Please check .*$', '')), 200) as error,
    'probable' as confidence
from hccl_error e
join hccl_code c using (hccl_code)
where c.class = 'meeting'
having count(*) > 0
union all by name
select
    'stacks' as kind,
    -- Without rank 0 nobody serves the store: the refused connections follow from that.
    case
        when server_missing and stage = 'rendezvous' and why <> 'apart'
        then ['divergence.stack', 'network.connect_failure', 'network.peer_lost']
        else ['divergence.stack']
    end as explains,
    evidence,
    ranks,
    hosts,
    pids,
    (select world_size from stack_world) as world_size,
    stage,
    why,
    waiting,
    waiting_ranks,
    waiting_pids,
    waiting_function,
    case when server_missing then true end as server_missing,
    frame as minority_frame,
    function as minority_function,
    case when only_undumped then 'warning' else 'critical' end as severity,
    case when only_undumped then 'possible' else 'probable' end as confidence
from stack_init_wait
union all by name
select
    'standstill' as kind,
    true as waited,
    lines || coalesce(told, []) as evidence,
    minutes,
    ranks,
    hosts,
    pids,
    'rendezvous' as stage,
    function as waiting_function,
    n as processes,
    'warning' as severity,
    'possible' as confidence
from stack_standstill
where kind = 'init' and not exists (from stack_init_wait)
union all by name
-- in the words of the program itself
select
    'told' as kind,
    true as waited,
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no)[:20] as evidence,
    min(time) as "at",
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    max(expected) as nranks,
    max(joined) filter (expected is not null) as joined,
    any_value(missing) as missing,
    'rendezvous' as stage,
    arg_min(text, (file_id, line_no)) as error,
    'probable' as confidence
from communication_told
where kind = 'init'
having count(*) > 0
union all by name
-- in words that no grammar knows
select evidence, "at", 'plain' as kind, 'rendezvous' as stage, explains, told, confidence, otherwise
from told_cause
where what = 'init'
