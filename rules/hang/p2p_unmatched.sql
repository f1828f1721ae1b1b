/*
title = "A send without its receive, or the reverse"
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
One rank waits in a point-to-point operation, and the Flight Recorder of its peer holds no open
counterpart: the peer does nothing, or is in a collective that the first rank has not entered. Or
NCCL's log of calls shows one pair of ranks that called Send and Recv unequally often.
"""
false_positives = "The peer is only late: its dump was taken before it came to the call."
references = ["https://pytorch.org/docs/stable/distributed.html#point-to-point-communication"]

[[summary]]
when = "source == 'flight_recorder'"
say = '''
Rank {{ waiter }} waits in {{ op }} {{ src }}->{{ dst }}
{%- if open > 1 %} ({{ open }} open){% endif %}, and rank {{ peer }} has no
{{ 'receive' if op == 'send' else 'send' }} for it.'''

[[summary]]
when = "source == 'nccl calls'"
say = '''Rank {{ src if op == 'send' else dst }} called {{ 'Send' if op == 'send' else 'Recv' }}
  {{ [sends, recvs] | max | count('time') }}, and rank {{ dst if op == 'send' else src }} called
  {{ 'Recv' if op == 'send' else 'Send' }} {{ [sends, recvs] | min | count('time') }} ({{ src
  }}->{{ dst }} of the communicator).'''

[[step]]
when = "source == 'flight_recorder' and peer_in_collective"
say = '''Compare the order of calls on the two ranks: rank {{ peer }} is in a collective that
  rank {{ waiter }} enters only after this {{ op }}. One of the two has to come first on both.'''

[[step]]
when = "source == 'flight_recorder' and not peer_in_collective"
say = '''See where the program of rank {{ peer }} is: it went past its side of {{ src }}->{{ dst
  }}, or never comes to it. Mostly a condition on the stage, on the micro-batch or on the data is
  to blame.'''
run = ["py-spy dump --pid {{ pids[0] }}"]

[[step]]
when = "source == 'nccl calls'"
say = '''Look for what rank {{ dst if op == 'send' else src }} skipped: call {{ seq }} of its
  side of {{ src }}->{{ dst }}. In a pipeline compare the schedule of the two stages and the
  number of micro-batches.'''
*/
select
    'flight_recorder' as source,
    list(
        {
            'file_id':file_id,
            'line_no':line_no,
            'text':'rank '
            || waiter
            || ', group '
            || coalesce(grp, '?')
            || ': '
            || kind
            || ' '
            || src
            || '->'
            || dst
            || ' number '
            || seq
        }
        order by record_id
    ) as evidence,
    list_sort([waiter, culprit]) as ranks,
    waiter,
    culprit as peer,
    exists (
        from rank_progress p
        where p.source = 'flight_recorder' and p.rank = culprit and p.state = 'waiting'
    ) as peer_in_collective,
    count(*) as open,
    src,
    dst,
    coalesce(nullif(any_value(grp_desc), ''), any_value(grp)) as "group",
    min(seq) as seq,
    any_value(kind) as op
from lone_p2p
group by waiter, culprit, src, dst
union all by name
select
    'nccl calls' as source,
    list_filter([last_send, last_recv], lambda x:x is not null) as evidence,
    list_sort([src, dst])::bigint[] as ranks,
    src,
    dst,
    sends,
    recvs,
    comm_key as "group",
    least(sends, recvs) + 1 as seq,
    case when sends > recvs then 'send' else 'recv' end as op,
    'possible' as confidence,
    'warning' as severity
from uneven_pair
where
    exists (from trouble_sign where sign in ('timeout', 'heartbeat', 'abort'))
    and not exists (from missing_rank_suspect)
