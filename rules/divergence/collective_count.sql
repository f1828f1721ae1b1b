/*
title = "Ranks issued different numbers of collectives"
severity = "warning"
confidence = "probable"
status = "stable"
about = """
Some ranks of a communicator have launched more operations than others. In a running job that is a
moment's difference; in two snapshots with the same numbers, or at the end of a job that hung, the
ranks behind are the ones that are waited for. NCCL RAS names the ranks of the smaller group, and
these may be the ones ahead.
"""
false_positives = """
A single snapshot of a job that is merely busy, or the debug output of a rank that is incomplete.
"""
references = [
  "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/ras.html",
  "https://github.com/NVIDIA/nccl/issues/1911",
]

[[summary]]
when = "source == 'ras'"
say = '''
{% if stalled %}No progress between two snapshots of NCCL RAS{% else %}NCCL RAS{% endif %}:
{% if ranks_behind and ranks_behind | length == n_behind %}{{ ranks_behind | ranks }}
{%- else %}{{ n_behind | count('rank') }}{% endif %} of {{ nranks }} launched {{ count_behind }}
{{ op or 'collective' }} operations, the others up to {{ count_ahead }}
{%- if ranks_ahead and ranks_ahead | length == n_ahead and n_ahead < n_behind %}
  ({{ ranks_ahead | ranks }} {{ ranks_ahead | agree('is', 'are') }} ahead)
{%- endif -%}
.'''

[[summary]]
when = "source == 'nccl calls'"
say = '''
The ranks of a communicator of {{ nranks }} called different numbers of collectives:
{{ count_behind }} by {{ ranks_behind | ranks }}, up to {{ count_ahead }} by the others.'''

[[step]]
when = "source == 'ras' and not stalled"
say = "Take a second snapshot a minute later: equal numbers mean that nothing moves."
run = ["ncclras -v"]

[[step]]
when = "(stalled or source == 'nccl calls') and ranks_behind"
say = '''Look at {{ ranks_behind | ranks }}
  {%- if hosts %} on {{ hosts | names }}{% endif %}: stack, log, kernel log. Those ahead only
  wait.'''
run = ["py-spy dump --pid {{ pids[0] }}", "dmesg -T | tail -n 100"]

[[step]]
when = "stalled and not ranks_behind and ranks_ahead"
say = '''See what {{ ranks_ahead | ranks }} called that the others did not:
  {{ op or 'collective' }} {{ count_ahead }}. RAS does not name the {{ n_behind | count('rank') }}
  behind; the Flight Recorder, or NCCL's log of calls, does.'''
run = ["export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL"]
*/
with
    counted as (
        select *, min(calls) over one as low, max(calls) over one as high
        from nccl_call_count
        where not ambiguous
        window one as (partition by comm_key)
    )
select
    'ras' as source,
    lines as evidence,
    time as "at",
    ranks_behind as ranks,
    comm_hash,
    comm_hash as "group",
    op,
    ranks_ahead,
    ranks_behind,
    case when stalled then pids_behind end as pids,
    count_ahead,
    count_behind,
    n_ahead,
    n_behind,
    nranks,
    stalled,
    case when stalled then 'critical' else 'warning' end as severity
from ras_count
where latest
union all by name
select
    'nccl calls' as source,
    [
        arg_min(line_at(file_id, line_no), calls), arg_max(line_at(file_id, line_no), calls)
    ] as evidence,
    list(comm_rank order by comm_rank) filter (calls = low) as ranks,
    comm_key as comm_hash,
    comm_key as "group",
    arg_max(last_op, calls) as op,
    list(comm_rank order by comm_rank) filter (calls = high) as ranks_ahead,
    list(comm_rank order by comm_rank) filter (calls = low) as ranks_behind,
    max(calls) as count_ahead,
    min(calls) as count_behind,
    max(nranks) as nranks,
    map_from_entries(list((comm_rank, calls) order by comm_rank)) as counts,
    'warning' as severity
from counted
where
    low < high
    and exists (from trouble_sign where sign in ('timeout', 'heartbeat', 'abort', 'exception'))
group by comm_key
having not bool_and(ended) and count(*) > 1
