/*
title = "Training became slower"
severity = "warning"
confidence = "probable"
status = "stable"
lasting = true
about = """
The time of a step went up for good, the pauses at regular steps grow longer and longer, or
checkpoints take longer to save or to load than they did, or a program that compares the ranks names
slow ones. Judged
by medians of blocks of steps: evaluations, checkpoints and first steps do not count, nor does a
change of batch size or sequence length.
"""
false_positives = """
The work of a step grew as planned and the log does not say so (longer sequences, more experts, an
evaluation in every step).
"""
references = ["https://arxiv.org/abs/2402.15627", "https://arxiv.org/abs/2407.21783"]

[[summary]]
when = "class == 'straggler'"
say = '''{% if ranks %}{{ ranks | ranks | capital }}{% if hosts %} ({{ hosts | names }}){% endif %}
{{ ranks | agree('is', 'are') }}{% elif said %}Nodes {{ said | cut(80) }} are
{%- else %}Some ranks are
{%- endif %}
{% if of_what == 'data' %}late with {{ (ranks or [0]) | agree('its', 'their') }} data in step
{{ step }}, and all others wait{% if times > 1 %} ({{ times }} such steps){% endif %}
{%- elif compared == 'itself' %}slower than before{% else %}slower than the others{% endif %}
{%- if ratio is not none and of_what != 'data' %} ({{ ratio | round(1) }} times){% endif %}
{%- if detector %}, says {{ detector_name }}{% endif %}'''

[[summary]]
when = "class == 'checkpoint'"
say = '''{{ what | capitalize }} a checkpoint takes {{ seconds_after | duration }} instead of
{{ seconds_before | duration }} ({{ ratio | round(1) }} times, the last of
{{ times | count('checkpoint') }})'''

[[summary]]
when = "class == 'periodic'"
say = '''Every {{ period }} points a step takes longer, and each time more:
{% if pause_seconds_last is not none %}by {{ pause_seconds_last | duration }} at the end, by
{{ pause_seconds_first | duration }} at first{% else %}{{ ratio | round(1) }} times as much at
the end as at first{% endif %}'''

[[summary]]
say = '''{% if extent == 'rank' %}{{ ranks | ranks | capital }}{% if host %} on
{{ host }}{% endif %} {% else %}Training {% endif %} became slower at
{% if epoch_of_step is not none %}step {{ step_of_epoch }} of epoch {{ epoch_of_step }} (step
{{ step }} in all){% else %}{{ unit or 'step' }} {{ step }}{% endif %}:
{% if throughput_before is not none %}{{ metric }} fell from {{ throughput_before }} to
{{ throughput_after }}{% else %}{{ 'an epoch' if unit else 'a step' }} takes
{{ step_seconds_after }} s instead of
{{ step_seconds_before }} s{% endif %} ({{ ratio | round(1) }} times)
{%- if class == 'growing' %}, and it goes on growing{% endif %} {%- if extent == 'rank' %}; the
other {{ (nranks - ranks | length) | count('rank') }} did not
{%- elif data_metric and not ranks %}; most of it is waiting for data ({{ data_metric }}:
{{ '%.4g' | format(data_after) }}
{%- if data_before is not none %} instead of {{ '%.4g' | format(data_before) }}{% endif %})
{%- elif data_metric %}; {{ ranks | ranks }} is late with its data ({{ data_metric }}:
{{ '%.4g' | format(data_after) }}
{%- if data_before is not none %} instead of {{ '%.4g' | format(data_before) }}{% endif %}), and all
others wait
{%- elif extent == 'all' and slow_rank_count == nranks %}; all {{ nranks }} ranks alike{% endif %}
{%- if restarted %}; a restart is just before it{% endif %}'''

[[step]]
when = "restarted"
say = '''Compare this start with the one before: hosts, number of ranks, batch size, settings.
Another allocation or another batch size changes the pace without a fault.'''

[[step]]
when = "of_what == 'data'"
say = '''Look at what the data loaders{% if ranks %} of {{ ranks | ranks }}{% endif %}
wait for: the file system of their host, a shard that is much larger, workers that were killed.'''
run = ["py-spy dump --pid {{ pid }}", "iostat -x 1 3", "nfsiostat 1 3"]

[[step]]
when = "class == 'straggler' and of_what != 'data'"
say = '''Compare{% if ranks %} {{ ranks | ranks }}{% else %} the nodes it names{% endif %} with a
healthy one: clocks (heat, power cap), PCIe link width, other processes; then run the node's
tests.'''
run = [
  "nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,TEMPERATURE",
  "nvidia-smi --query-gpu=index,pcie.link.gen.current,pcie.link.width.current --format=csv",
  "dcgmi diag -r 3",
]

[[step]]
when = "extent == 'rank' and not restarted"
say = '''Compare {{ ranks | ranks }}{% if host %} on {{ host }}{% endif %} with a healthy rank:
clocks (heat, power cap), PCIe link width, other processes on the host, and its data loader.'''
run = [
  "nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,TEMPERATURE",
  "nvidia-smi --query-gpu=index,pcie.link.gen.current,pcie.link.width.current --format=csv",
  "top -b -n 1 -o %CPU",
]

[[step]]
when = "extent != 'rank' and class == 'shift' and not restarted and of_what != 'data'"
say = '''Look for what all ranks share{% if at %} at {{ at.replace(microsecond=0) }}{% endif %}:
one slow GPU slows down all that wait for it in a collective, a network port that fell back to
fewer lanes or another route, a busy file system. Measure compute, data loading and communication
of one step apart to see which of them grew.'''
run = [
  "nvidia-smi --query-gpu=index,clocks.sm,clocks_throttle_reasons.active --format=csv",
  "rdma statistic",
]

[[step]]
when = "class == 'growing'"
say = '''Look for something that is never freed or grows with the steps: memory (garbage
collection, a cache), a list of losses that keeps the graph alive, a log or a progress bar that
is rewritten.'''
run = ["py-spy dump --pid {{ pid }}"]

[[step]]
when = "class == 'checkpoint'"
say = '''Measure the file system{% if at %}, busy since {{ at.replace(microsecond=0) }}{% endif %}:
who else writes there, how full it is (many slow down long before they are full), how many old
checkpoints lie in one folder. Keep two checkpoints on local disks and copy them away behind the
training.'''
run = [
  "df -h",
  "df -i",
  "fio --name=write --rw=write --bs=1M --size=4G --numjobs=8 --directory=CHECKPOINT_FOLDER",
]

[[step]]
when = "class == 'periodic'"
say = '''Find out what the program does every {{ period }} points (checkpoint, evaluation,
logging) and why it takes longer each time: old checkpoints that are searched, an evaluation set
that grows, a file system that fills up.'''
run = ["df -h"]
*/
with steps as (select writer, run, k, file_id, line_no from pace)
select
    [line_at(p.file_id, p.line_no)] || s.places as evidence,
    case when s.is_restarted then 'info' end as severity,
    s.time as at,
    case when s.is_of_few then s.slow_ranks when d.rank is not null then [d.rank] end as ranks,
    case when s.is_of_few and len(s.slow_hosts) = 1 then s.slow_hosts end as hosts,
    case when d.name is not null then 'data' end as of_what,
    d.name as data_metric,
    d.before as data_before,
    d.behind as data_after,
    s.step,
    round(s.ratio, 3) as ratio,
    case when s.grows then 'growing' else 'shift' end as class,
    case
        s.canonical when 'step_seconds' then s.before when 'written' then round(s.before, 4)
    end as step_seconds_before,
    case
        s.canonical when 'step_seconds' then s.behind when 'written' then round(s.behind, 4)
    end as step_seconds_after,
    case
        when s.canonical in ('throughput', 'utilization') then 1 / s.before
    end as throughput_before,
    case
        when s.canonical in ('throughput', 'utilization') then 1 / s.behind
    end as throughput_after,
    case when s.is_of_few then 'rank' when s.nranks > 1 then 'all' end as extent,
    nullif(s.nranks, 0) as nranks,
    len(s.slow_ranks) as slow_rank_count,
    case when s.is_restarted then true end as restarted,
    s.name as metric,
    null::double as period,
    l.epoch_of_step,
    l.step_of_epoch,
    case when l.counts_epochs then 'epoch' end as unit
from pace_slowdown s
cross join
    lateral(
        -- as the line itself counts
        select
            max(t.epoch_no) filter (t.step is not null and t.step <> s.step) as epoch_of_step,
            max(t.step) filter (t.epoch_no is not null and t.step <> s.step) as step_of_epoch,
            bool_or(t.step is null and t.epoch_no = s.step) as counts_epochs
        from training_line t
        where t.file_id = s.file_id and t.line_no = s.line_no
    ) l
left join steps p on p.writer = s.writer and p.run = s.run and p.k = s.k - 1
left join pace_data_wait d on d.writer = s.writer and d.run = s.run and d.k = s.k
union all by name
select
    [
        line_at(first_place.file_id, first_place.line_no),
        line_at(last_place.file_id, last_place.line_no)
    ] as evidence,
    first_place.time as at,
    first_place.step as step,
    round(extra_last / extra_first, 3) as ratio,
    'periodic' as class,
    case when canonical = 'step_seconds' then extra_first end as pause_seconds_first,
    case when canonical = 'step_seconds' then extra_last end as pause_seconds_last,
    name as metric,
    period,
    case when rank is not null then [rank] end as ranks
from pace_pulse
where not exists (from pace_slowdown)
qualify row_number() over (partition by period order by extra_last / extra_first desc, writer) = 1
union all by name
select
    evidence,
    "at",
    case when rank is not null then [rank] end as ranks,
    'checkpoint' as class,
    what,
    round(ratio, 3) as ratio,
    round(before, 3) as seconds_before,
    round(behind, 3) as seconds_after,
    times
from checkpoint_pace
union all by name
select
    evidence,
    time as "at",
    ranks,
    hosts,
    'straggler' as class,
    detector,
    case
        detector
        when 'nvrx'
        then 'NVRx'
        when 'dlrover'
        then 'DLRover'
        when 'megatron'
        then 'Megatron'
        when 'xtuner'
        then 'XTuner'
    end as detector_name,
    of_what,
    compared,
    said,
    times,
    round(ratio, 3) as ratio,
    step
from slow_rank_told
