/*
title = "Ranks ran different collectives under the same number"
severity = "critical"
confidence = "definite"
status = "stable"
explains = [
  "hang",
  "crash",
  "network.peer_lost",
  "divergence.stack",
  "divergence.collective_count",
]
about = """
All members of a group must call the same collectives in the same order with fitting sizes and
types. Here one number of one group is a different operation, size or type on some ranks: the
program took another path there. The minority is named; without a majority all are.
"""
false_positives = """
Operations that may differ by nature (all-to-all, scatter, gather, coalesced ones) are left out, so
a real difference in them goes unseen.
"""
references = ["https://pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications"]

[[summary]]
when = "parties"
say = '''
{%- set differing = {'op': 'operations', 'size': 'sizes', 'dtype': 'types', 'seq': 'numbers',
  'redop': 'reductions', 'root': 'roots'} -%}
Ranks {% if field == 'op' %}called{% elif field %}used{% endif %}
{% if field %}different {{ differing[field] }}{% else %}disagree{% endif %}
{%- if seq is not none %}
  {% if field == 'op' %}as{% else %}in{% endif %} collective {{ seq }}
{%- endif -%}
{%- if group %} of group {{ group }}{% endif -%}
: {% for p in parties[:4] -%}
  {% if not loop.first %}, {% endif %}{{ p.value }}
  {%- if p.elements %} of {{ p.elements | count('element') }} ({{ p.dtype }}){% endif %} on
  {{ p.ranks | ranks }}
{%- endfor -%}
{%- if is_half_told -%}
  ; what {% if untold %}{{ untold | ranks }}{% else %}the others{% endif %} ran is
  {% if untold %}garbled{% else %}not{% endif %} in this log
{%- endif -%}
.'''

[[summary]]
when = "received_bytes is not none"
say = '''A message of {{ received_bytes }} bytes arrived{% if peer %} from {{ peer }}{% endif
  %} where {{ expected_bytes }} bytes were expected: the two sides run different operations or
  sizes.'''

[[summary]]
when = "source == 'told'"
say = '''{{ ranks | ranks | capital }} {{ ranks | agree('does', 'do') }} not agree
  {%- if ranks | length == 1 %} with the others{% endif %}, as the log tells: {{ message | cut }}'''

[[summary]]
when = "source == 'horovod'"
say = '''Horovod refuses an operation: ranks differ in its {% if field == 'size' %}shape
{%- elif field == 'dtype' %}data type{% elif field == 'root' %}root{% else %}kind{% endif %}
{%- if values %} ({{ values | join(' and ') }}){% endif %}.'''

[[summary]]
when = "ranks"
say = "NCCL suspects a mismatch of collectives at or around {{ ranks | ranks }}."

[[step]]
when = "field in ('op', 'seq')"
say = '''Find where {{ ranks | ranks }}
  {%- if ranks | length < (all_ranks or ranks) | length %} took another path than the others
  {%- else %} parted{% endif %} before collective {{ seq }}: a condition on the rank, on the data or
  on an exception, such as a last batch, a log or checkpoint step of rank 0 only, a parameter
  without gradient.'''

[[step]]
when = "field == 'size' and parties"
say = '''Compare the shapes on {{ all_ranks | ranks }} at this call: a last batch that is not
  dropped or padded, sequences of different length, another number of parameters or of experts.'''

[[step]]
when = "field == 'dtype'"
say = '''Bring the tensor to one type before the call: autocast or a checkpoint of another
  precision on {{ ranks | ranks }} is the usual reason.'''

[[step]]
when = "field in ('root', 'redop')"
say = '''Give all ranks the same {{ 'root' if field == 'root' else 'reduction' }}; in torch, src
  and dst are ranks of the job, not of the group.'''

[[step]]
when = "is_half_told"
say = '''Read the logs of {{ all_ranks | ranks }} around this line: {{ parties[0].ranks | ranks }}
  ran
  {{ parties[0].value }}, and the other side's stack tells what it called instead.'''

[[step]]
when = "not parties"
say = '''Have every rank say what it calls: torch then checks each collective before it runs, and
  NCCL logs each call.'''
run = [
  "export TORCH_DISTRIBUTED_DEBUG=DETAIL",
  "export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL",
]

[[step]]
when = "fr_version or source == 'watchdog'"
say = '''To see the calls before it, have torch check each collective: slow, but it stops at the
  first that differs, with the stack of each rank.'''
run = ["export TORCH_DISTRIBUTED_DEBUG=DETAIL"]
*/
with
    -- Sources tell of one difference each in their own terms. The one that knows best
    -- speaks, of the first number of a group: it is the cause, later ones follow.
    ordered as (
        select
            *,
            row_number() over (
                order by
                    coalesce(grade, 'definite') = 'possible',
                    coalesce(
                        list_position(
                            ['flight_recorder', 'fingerprint', 'nccl calls', 'watchdog'], source
                        ),
                        5
                    ),
                    seq nulls last,
                    time nulls last
            ) as nth
        from collective_mismatch_source
    )
select
    evidence || coalesce(
        (
            select flatten(list(o.evidence[:3] order by o.nth))
            from ordered o
            where o.source <> best.source
        ),
        []
    ) as evidence,
    time as "at",
    ranks,
    hosts,
    source,
    grp as "group",
    seq,
    field,
    message,
    "values",
    ops,
    all_ranks,
    parties,
    received_bytes,
    expected_bytes,
    peer,
    case when is_half_told then true end as is_half_told,
    case when is_half_told then untold end as untold,
    version as fr_version,
    coalesce(grade, case when source = 'gloo' then 'probable' else 'definite' end) as confidence
from ordered best
where nth = 1
