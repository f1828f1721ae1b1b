/*
title = "Ranks entered collectives of different groups in different order"
severity = "critical"
confidence = "probable"
status = "stable"
explains = [
  "hang.collective_timeout",
  "network.peer_lost",
  "crash",
  "divergence.stack",
  "divergence.collective_count",
]
about = """
A circle: one rank waits in a collective of one group for a rank that waits in a collective of
another group for the first. Nobody can go on, and nobody is late: the order of the calls is the
fault.
"""
false_positives = """
Collectives of different groups on different streams may overlap without harm: the circle then comes
from something else that stopped both.
"""
references = ["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/communicators.html"]

summary = '''
Ranks wait for each other in a circle:
{% for w in circle[:4] -%}
  {% if not loop.first %}; {% endif %}{{ w.ranks | ranks }} in
  {{ w.op or 'collective' }} {{ w.seq }} of group {{ w.group }} for {{ w.awaited | ranks }}
{%- endfor -%}
{%- if circle | length > 4 %}; and so on over {{ circle | length }} groups{% endif -%}
.'''

[[step]]
say = '''Make every rank call the collectives of groups {{ groups | names }} in the same order:
  compare how {{ circle[0].ranks | ranks }} and {{ circle[1].ranks | ranks }} come to {{
  circle[0].op }} {{ circle[0].seq }} and {{ circle[1].op }} {{ circle[1].seq }}.'''

[[step]]
say = '''Where the order is meant to be free, put the groups on streams and communicators that do
  not block each other. To see whether the order is all, let the program wait for each launch
  once.'''
run = ["export CUDA_LAUNCH_BLOCKING=1"]
*/
select
    flatten(list(evidence order by waiters)) as evidence,
    (select min(p.time) from rank_progress p where p.state = 'waiting') as "at",
    list_sort(list_distinct(flatten(list(waiters)))) as ranks,
    list(grp order by waiters) as groups,
    list(
        {'ranks':waiters, 'op':op, 'seq':seq, 'group':grp, 'awaited':awaited} order by waiters
    ) as circle
from wait_circle
group by source, wait_circle.circle
having count(*) > 1
