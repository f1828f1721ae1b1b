/*
title = "A rank is missing from the collective the others are waiting in"
severity = "critical"
confidence = "probable"
status = "stable"
explains = [
  "hang.collective_timeout",
  "hang.init_incomplete",
  "hang.checkpoint",
  "hang.log_silence",
  "network.peer_lost",
  "network.connect_failure",
  "divergence.collective_count",
  "divergence.stack",
  "loss.rollback",
]
explains_other_ranks = ["crash"]
about = """
A collective ends when every member has joined it. The ranks named here have not joined, or are
behind, the one the others are waiting in. Sources are the Flight Recorder (who is there, and
counters per group), status lines of the watchdogs, monitored_barrier, the desync report, Horovod's
stall inspector, torch's analyser of dumps, counts of NCCL calls, NCCL RAS, stacks, system calls and
the tracebacks of timeouts.
Sources that agree make one incident of a higher grade; where they disagree, on the ranks or on the
side, both are shown and the grade falls. A rank that itself waits for another one is never named.
side = host: its program did not get there; side = device: it enqueued the work, and its device did
not finish what the others finished.
"""
false_positives = """
In dumps of a job that was still running a rank may be a step behind by chance. Where nothing but a
missing dump or a silent log speaks against a rank (grade possible) it may be healthy and only its
dump lost: where others are proved to be missing, it is mentioned beside them and not named.
"""
references = ["https://pytorch.org/tutorials/unstable/flight_recorder_tutorial.html"]

summary = '''
{%- set one = (ranks or pids or [0]) | length == 1 -%} {%- set has = 'has' if one else 'have' -%}
{%- set who -%}
  {%- if ranks and not ranks_guessed -%} {{ ranks | ranks }}
  {%- elif pids -%} process{% if not one %}es{% endif %} {{ pids | names }}
    {%- if hosts %} on {{ hosts | names }}{% endif -%}
    {%- if ranks %} (probably {{ ranks | ranks }}){% endif -%}
  {%- else -%} a process of unknown rank
  {%- endif -%}
{%- endset -%}
{%- set it_waits_in -%}
  {%- if seq is not none -%}
    {{ op or 'collective' }} {{ seq }}{% if group %} of group {{ group }}{% endif -%}
    , which the others are waiting in
  {%- elif op and op != 'barrier' -%} {{ op }}, which the others are waiting for
  {%- else -%} the {{ op or 'collective' }} the others are waiting in
    {%- if group %} (group {{ group }}){% endif -%}
  {%- endif -%}
{%- endset -%}
{%- set first = accounts[0] -%}

{{ who | capital }}
{% if only_absent %} may not have joined {{ it_waits_in }}
{%- elif disputed_side %} {{ has }} not finished {{ it_waits_in }}
{%- elif side == 'device' %} {{ has }} enqueued {{ it_waits_in }}, and not finished it: stuck on the
  device
{%- elif first.finding == 'gone' %} {{ 'is' if one else 'are' }} gone
{%- elif first.finding == 'ended' %} had ended before the others gave up in {{ op }} {{ seq }}
{%- elif first.finding in ('stopped', 'stopped_by') and not first.frame %}
  {{ 'is' if one else 'are' }} stopped
{%- elif first.finding == 'dead' %} {{ 'does' if one else 'do' }} not answer
{%- elif first.finding == 'unheard' %} {{ has }} sent nothing any more
{%- elif first.finding == 'not_finalized' %} {{ has }} not come to the end of communicator
  {{ group }}
{%- else %} {{ has }} not joined {{ it_waits_in }}
  {%- if side == 'host' and not first.frame and first.finding != 'undumped' -%}
    : {% if one %}its program{% else %}their programs{% endif %} did not get there
  {%- endif -%}
{%- endif -%}

{%- for a in accounts if a.agrees -%}
. {{ a.source_name }}: {% if a.finding == 'behind' -%}
  {%- for c in a.counts[:5] -%}
    {% if not loop.first %}; {% endif %}rank {{ c.rank }} enqueued {{ c.enqueued or 'nothing' -}}
    {% if c.completed %}, completed {{ c.completed }}{% endif -%}
    {% if c.awaited is not none %}, the others wait in {{ c.awaited }}{% endif -%}
  {%- endfor -%}
  {%- if a.counts | length > 5 %}; {{ a.counts | length - 5 }} more are behind{% endif -%}
  {%- if a.undumped -%}; no dump of {{ a.undumped | ranks }} to tell whether
    {{ 'it is' if a.undumped | length == 1 else 'they are' }} stuck as well{% endif -%}
{%- elif a.finding == 'no_dump' -%} all that left a dump wait in the
  same place, and {{ a.ranks | ranks }} left none: gone, not there yet, or unable to write it
{%- elif a.finding == 'awaited_by_root' -%} rank 0 waited
  {%- if a.seconds is not none %} {{ a.seconds | duration }}{% endif %} in vain
{%- elif a.finding == 'not_at_barrier' -%} the others waited for {{ 'it' if one else
  'them' }} until the barrier's time was over
{%- elif a.finding == 'root_silent' -%} {{ a.waiting_ranks | ranks }} came, and rank 0 neither
  answered nor said who is late
{%- elif a.finding == 'dumped_before' -%} the collective is not in {{ 'its dump' if one else
  'their dumps' }}
{%- elif a.finding == 'never_joined' -%} not in any collective so far
{%- elif a.finding == 'not_joined' -%} not in the collective that timed out
{%- elif a.finding in ('not_submitted', 'crossed') -%}
  {% if a.waiting_ranks %}{{ a.waiting_ranks | ranks }}{% else %}the others{% endif %} submitted
  this tensor{% if a.seconds %} and waited for more than {{ a.seconds | duration }}{% endif -%}
  {% if a.finding == 'crossed' %}; each of {{ a.ranks | ranks }} lacks another one, so they submit
  them in different orders, or different ones{% endif -%}
{%- elif a.finding == 'other_tensor' -%} {{ a.ranks | ranks }} alone submitted {{ a.own_op }}: their
  ways parted
{%- elif a.finding == 'silent' -%} no word of the timeout that {{ a.waiting_ranks | ranks }}
  {{ a.waiting_ranks | agree('reports', 'report') }}
{%- elif a.finding == 'ended' -%} ended with {{ a.exit_codes | ranks('exit code') }}
{%- elif a.finding == 'fewer_calls' -%} {{ a.reached | count('collective call') }}, the others made
  up to {{ a.furthest }}
{%- elif a.finding == 'behind_in_snapshots' -%} at {{ op or 'operation' }} {{ a.reached }} in two
  snapshots, the others at {{ a.furthest }}
{%- elif a.finding == 'not_finalized' -%} the others are ending it, and two snapshots show
  {{ a.ranks | ranks }} still running
{%- elif a.finding == 'dead' -%} no answer from {% if one %}process{% else %}processes{% endif %}
  {{ a.pids | names }}{% if ranks and hosts %} on {{ hosts | names }}{% endif -%}
{%- elif a.finding == 'fewer_completed' -%} {{ a.reached }} is the last collective completed, the
  others all completed {{ a.furthest }}
{%- elif a.finding == 'stopped_by' -%} stopped by {{ a.signal }} and not continued
  {%- if a.threads > 1 %} ({{ a.threads }} threads){% endif -%}
  {% if a.signal in ('SIGTTOU', 'SIGTTIN') %}: it runs in the background and wants the terminal
  {%- endif -%}
{%- elif a.finding == 'stage' -%} stage {{ a.reached }} was the last passed, the others passed
  {{ a.furthest }}
{%- elif a.finding == 'trace_ended' -%} {{ 'it ends' if one else 'they end' }} after {{ a.reached
  | count('line') }} at {{ a.frame }}, those of {{ a.waiting | count('other') }} after {{ a.furthest
  }} at {{ a.waiting_function }}
{%- elif a.finding == 'unheard' -%} no update came from {{ 'it' if one else 'them' }} for
  {{ a.seconds | duration }}
{%- elif a.finding == 'told' -%} it says so in its own words
{%- elif a.finding == 'gone' -%} {{ a.tool }} found no process
  {%- if a.pids %} {{ a.pids | names }}{% endif %} any more, while all that were dumped wait
{%- else -%}
  {%- if a.finding == 'undumped' -%} no dump of {{ a.ranks | ranks }}
  {%- elif a.finding == 'stopped' -%} {% if a.frame %}rank {{ a.failed_ranks }}{% endif %} in
    state T
  {%- elif a.finding == 'no_answer' -%}
    {% if a.frame %}rank {{ a.failed_ranks }} gave{% endif %} no answer
  {%- elif a.finding == 'unreadable' -%} {% if a.frame %}rank {{ a.failed_ranks }}{% endif %} could
    not be dumped (uninterruptible sleep)
  {%- elif a.finding == 'left_loop' -%} left the loop, now in {{ a.frame }}
  {%- else -%} {% if a.frame %}in {{ a.frame }}{% else %}elsewhere{% endif -%}
    {% if a.awaits %}, waiting for {{ a.awaits }}{% endif -%}
  {%- endif -%}
  {%- if a.standing_ranks -%}, rank {{ a.standing_ranks }} in {{ a.frame }}{% endif -%}
  {%- if a.waiting %}, while {{ a.waiting | count('other waits', 'others wait') }}
    {%- if a.waiting_function %} in {{ a.waiting_function }}{% else %} for their peers{% endif -%}
  {%- endif -%}
{%- endif -%}
{%- endfor -%}

{%- for a in accounts if not a.agrees -%}
  . But {{ a.source_name }}: {{ a.ranks | ranks }} {{ a.ranks | agree('is', 'are') }} missing
{%- endfor -%}
{%- for a in accounts if disputed_side and a.agrees and a.side -%}
  {{ '. Stuck on the ' if loop.first else ', on the ' }}{{ a.side }} by {{ a.source_name }}
{%- endfor -%}
.'''

[[step]]
when = "accounts[0].finding == 'gone'"
say = '''Nothing of {{ ranks | ranks }} is left to dump. Find out how the process ended: exit
  code, the end of its own log, the scheduler's record, and the kernel log of its host (OOM
  killer).'''
run = ["dmesg -T | grep -w {{ pids[0] }}", "journalctl -k | grep -iE 'out of memory|oom-kill'"]

[[step]]
when = "accounts[0].finding == 'ended'"
say = '''Read the end of the own log of {{ ranks | ranks }}: {{ accounts[0].exit_codes |
  ranks('exit code') }} came before the others gave up: the cause is there, and the hang follows
  from it.'''

[[step]]
when = "only_absent and confidence == 'possible'"
say = '''See first whether {{ ranks | ranks }} still ran: exit code, last lines of {{ ranks |
  agree('its', 'their') }} own log, space on the disk dumps go to. Nothing here speaks against a
  host or GPU, so don't take it out for this alone.'''
run = ["ps -o pid,stat,wchan:32,etime,args -p {{ pids[0] }}"]

[[step]]
when = "only_absent and source == ['silent_log'] and group"
say = "Have torch write Flight Recorder dumps, which tell it next time."
run = ["export TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1"]

[[step]]
when = "disputed_side"
say = '''Find out first where the program of {{ ranks | ranks }} is: two stacks some seconds
  apart, and the kernel log of its host for Xid. Take the host out only where a GPU is at fault.'''
run = ["py-spy dump --pid {{ pids[0] }}", "dmesg -T | grep -i xid"]

[[step]]
when = "side == 'device' and not disputed_side"
say = '''Take {% if hosts %}{{ hosts | names }}{% else %}the host of {{ ranks | ranks }}{% endif
  %} out of the pool and test {% if gpus %}{{ gpus | names('GPU') }}{% else %}its GPU{% endif %}:
  the program did its part, the device did not.'''
run = [
  "@leave_out hosts",
  "dmesg -T | grep -i xid",
  "nvidia-smi -q -i {{ gpu | bus_id }}",
  "dcgmi diag -r 3",
  "dcgmi diag -r 4",
]

[[step]]
when = "side == 'device' and not disputed_side"
say = '''If the test finds nothing, run the same job once without that host: a hang that stays
  away is the host's, one that returns on other ranks is the fabric's or NCCL's.'''

[[step]]
when = "accounts[0].finding in ('stopped', 'stopped_by') and side == 'host'"
say = '''Find out who stopped the process{% if host %} on {{ host }}{% endif %} - a debugger, the
  scheduler's suspend, Ctrl-Z, a checkpointing tool - and let it continue.'''
run = [
  "cat /proc/{{ (accounts[0].failed_pids or pids)[0] }}/status",
  "kill -CONT {{ (accounts[0].failed_pids or pids)[0] }}",
]

[[step]]
when = "accounts[0].signal in ('SIGTTOU', 'SIGTTIN')"
say = "Start it without a terminal: its input from /dev/null, its output into a file."

[[step]]
when = "accounts[0].finding == 'unreadable' and side == 'host'"
say = '''See where in the kernel {{ ranks | ranks }} {{ ranks | agree('waits', 'wait') }},
  mostly for storage or a driver, and read the kernel log of {{ host or 'its host' }} for hung
  tasks. Such a process cannot be killed; if the storage does not come back, the host has to
  be rebooted.'''
run = [
  "cat /proc/{{ pids[0] }}/stack",
  "cat /proc/{{ pids[0] }}/wchan",
  "dmesg -T | grep -iE 'blocked for more than|not responding|i/o error|xid'",
]

[[step]]
when = "accounts[0].finding == 'no_answer' and side == 'host'"
say = '''See whether the process of {{ ranks | ranks }} is stopped (T), waits in the kernel (D),
  or holds the GIL in native code, and dump it from outside: what asked it needs its interpreter
  to run.'''
run = ["ps -o pid,stat,wchan:32,args -p {{ pids[0] }}", "py-spy dump --native --pid {{ pids[0] }}"]

[[step]]
when = "accounts[0].finding == 'undumped'"
say = '''Look for the process of {{ ranks | ranks }}{% if host %} on {{ host }}{% endif %}: dump
  its stack if it is there; if not, its exit code and the end of its own log say why.'''
run = ["py-spy dump --pid {{ pids[0] }}"]

[[step]]
when = "accounts[0].finding == 'left_loop'"
say = '''Compare how many batches each rank is given: {{ ranks | ranks }} ran out before the
  others. Drop or pad the last batch, make all ranks stop together, or wrap the loop in torch's
  Join.'''

[[step]]
when = '''accounts[0].finding == 'elsewhere' and accounts[0].frame and accounts[0].stands_still
  and side == 'host''''
say = '''Nothing moved between two dumps: see what keeps {{ accounts[0].frame }} from
  returning.'''
run = [
  "py-spy dump --native --pid {{ pids[0] }}",
  "cat /proc/{{ pids[0] }}/stack",
  "strace -f -y -p {{ pids[0] }}",
]

[[step]]
when = '''accounts[0].finding == 'elsewhere' and accounts[0].frame and not accounts[0].stands_still
  and side == 'host' and accounts[0].source != 'traceback''''
say = '''Dump {% if ranks %}{{ ranks | ranks }}{% else %}the process{% endif %} once more: if it
  is still in {{ accounts[0].frame }}, that call hangs; if not, it is only slow.'''
run = ["py-spy dump --native --pid {{ pids[0] }}", "cat /proc/{{ pids[0] }}/stack"]

[[step]]
when = "accounts[0].source == 'traceback' and accounts[0].finding == 'elsewhere'"
say = '''Find where the program of {{ ranks | ranks }} leaves the way of the others before {{
  accounts[0].frame }}: a condition on the rank, on the data or on an exception, more or fewer
  batches.'''

[[step]]
when = "accounts[0].finding in ('crossed', 'other_tensor')"
say = '''Compare what the ranks submit at this point: a condition on the rank, on the data or on
  an exception, or tensors without gradient, lead {{ ranks | ranks }} another way.'''

[[step]]
when = "accounts[0].finding == 'not_finalized'"
say = '''See what {{ ranks | ranks }} {{ ranks | agree('does', 'do') }} instead of ending: a last
  evaluation, saving a checkpoint, threads that do not end.'''
run = ["py-spy dump --pid {{ pids[0] }}"]

[[step]]
when = "accounts[0].finding == 'dead'"
say = '''See whether {% if host %}{{ host }} answers and {% endif %}the process still runs; if
  not, read how it ended: exit code, kernel log of its host, the scheduler's record.'''
run = ["ping -c 3 {{ host }}", "ps -o pid,stat,etime,args -p {{ pids[0] }}"]

[[step]]
when = "where == 'init'"
say = '''See whether {{ ranks | ranks }} {{ ranks | agree('was', 'were') }} started and came
  through init: {{ ranks | agree('its', 'their') }} own log up to the first collective tells.'''

[[step]]
when = '''side == 'host' and where != 'init' and accounts[0].finding in
  ('behind', 'awaited_by_root', 'not_at_barrier', 'not_joined', 'not_submitted', 'fewer_calls')'''
say = '''Find out where the program of {{ ranks | ranks }} is: two stacks some seconds apart, the
  last lines of {{ ranks | agree('its', 'their') }} own log, the kernel log of {% if hosts %}{{
  hosts | names }}{% else %}{{ ranks | agree('its host', 'their hosts') }}{% endif %}.'''
run = ["py-spy dump --pid {{ pids[0] }}", "dmesg -T | tail -n 100"]

[[step]]
otherwise = true
say = '''Look at {% if ranks %}{{ ranks | ranks }}{% else %}this process{% endif %}, not at those
  that timed out: stack, last lines of the own log, kernel log and GPU state of {% if hosts %}{{
  hosts | names }}{% else %}{{ (ranks or pids) | agree('its host', 'their hosts') }}{% endif %}.'''
run = [
  "py-spy dump --pid {{ pids[0] }}",
  "dmesg -T | grep -iE 'xid|out of memory|blocked for more'",
]
*/
with
    account as (
        select
            s.*,
            n.source_name,
            case grade when 'definite' then 3 when 'probable' then 2 else 1 end as score,
            coalesce(len(s.ranks), 0) > 0 as names_ranks
        from missing_rank_suspect s
        left join missing_rank_source n using (source)
    ),
    -- Whoever names ranks tells of one case. Where nobody does, each process is a case.
    case_account as (
        select *, case when names_ranks then 0 else row_number() over () end as case_no
        from account
        where
            names_ranks
            or (len(pids) > 0 or frame is not null)
            and not exists (from account where names_ranks)
    ),
    best as (
        select case_no, ranks, score
        from case_account
        qualify
            row_number() over (partition by case_no order by score desc, len(ranks) desc, source)
            = 1
    ),
    -- Sources that name part of the same ranks agree: some name the first one they find only.
    compared as (
        select
            t.*,
            b.ranks as best_ranks,
            b.score as best_score,
            not names_ranks
            or list_has_all(b.ranks, t.ranks)
            or list_has_all(t.ranks, b.ranks) as agrees
        from case_account t
        join best b using (case_no)
    ),
    vote as (
        select
            any_value(best_ranks) as ranks,
            any_value(best_score) as best_score,
            count(distinct source) filter (agrees and ranks = best_ranks) as sources,
            max(score) filter (not agrees) as other_score,
            max(score) filter (agrees and side = 'host') as host_score,
            max(score) filter (agrees and side = 'device') as device_score,
            coalesce(bool_or(sure) filter (agrees), false) as sure,
            coalesce(bool_and(ranks_guessed is true) filter (agrees), false) as ranks_guessed,
            bool_and(names_ranks) as names_ranks,
            -- Named because nothing is heard of it, and for no other reason.
            bool_and(source in ('absent_dump', 'silent_log')) filter (agrees) as only_absent,
            list(
                {
                    'source':source,
                    'source_name':source_name,
                    'agrees':agrees,
                    'finding':finding,
                    'ranks':compared.ranks,
                    'pids':compared.pids,
                    'side':side,
                    'counts':counts,
                    'reached':reached,
                    'furthest':furthest,
                    'waiting':waiting,
                    'waiting_ranks':waiting_ranks,
                    'waiting_function':waiting_function,
                    'frame':frame,
                    'awaits':awaits,
                    'failed_ranks':failed_ranks,
                    'failed_pids':failed_pids,
                    'standing_ranks':standing_ranks,
                    'seconds':seconds,
                    'own_op':own_op,
                    'exit_codes':exit_codes,
                    'signal':signal,
                    'threads':threads,
                    'tool':tool,
                    'undumped':undumped,
                    'stands_still':still
                }
                order by agrees desc, score desc, source
            ) as accounts,
            list_sort(list(distinct source) filter (agrees)) as source,
            list_sort(list(distinct source) filter (not agrees)) as others,
            list_sort(list(distinct source) filter (agrees and side is not null)) as sided,
            list_sort(list_distinct(flatten(list(hosts) filter (agrees)))) as hosts,
            list_sort(list_distinct(flatten(list(pids) filter (agrees)))) as pids,
            arg_max(grp, score) filter (agrees and grp is not null) as grp,
            arg_max(seq, score) filter (agrees and seq is not null) as seq,
            arg_max(op, score) filter (agrees and op is not null) as op,
            arg_max(place, score) filter (agrees and place is not null) as place,
            min("at") filter (agrees) as "at",
            max(timeout_ms) as timeout_ms,
            max(world_size) as world_size,
            flatten(list(evidence order by score desc) filter (agrees)) as evidence
        from compared
        group by case_no
    ),
    -- A second source raises the grade, one as good that names others lowers it. So do two that
    -- agree on who and not on the side; then the better proved side is told, of two as good
    -- neither.
    verdict as (
        select
            *,
            host_score is not null and device_score is not null as sides_differ,
            least(3, best_score + (sources > 1)::int)
            - coalesce(other_score >= best_score, false)::int as vote_score,
            vote_score - (sides_differ and vote_score > 1)::int as score,
            case
                when coalesce(host_score, 0) > coalesce(device_score, 0)
                then 'host'
                when coalesce(device_score, 0) > coalesce(host_score, 0)
                then 'device'
            end as side
        from vote
    )
select
    evidence,
    "at",
    ranks,
    hosts,
    case
        -- Nothing proves that a process without a rank belongs to the job.
        when score >= 3 and names_ranks
        then 'definite'
        when score >= 2
        then 'probable'
        else 'possible'
    end as confidence,
    case
        when score <= 1 and names_ranks and not sure then 'warning' else 'critical'
    end as severity,
    accounts,
    grp as "group",
    seq,
    op,
    side,
    case when sides_differ then true end as disputed_side,
    place as "where",
    case when only_absent then true end as only_absent,
    case when ranks_guessed then true end as ranks_guessed,
    case when len(pids) > 0 then pids end as pids,
    source,
    nullif(
        coalesce(others, []) || case when sides_differ then sided else [] end, []
    ) as disagreement,
    timeout_ms,
    world_size
from verdict
where score >= 1
