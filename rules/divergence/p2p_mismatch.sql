/*
title = "A send and its receive disagree in size or type"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["hang", "network.peer_lost", "crash", "divergence.stack"]
about = """
Both ends of a point-to-point operation are open, at the same place of their order, and the sender
sends another number of elements, or another type, than the receiver expects.
"""
false_positives = """
Operations are paired by their order among the open ones: a pair that was half done when the dump
was taken shifts it.
"""
references = ["https://pytorch.org/docs/stable/distributed.html#point-to-point-communication"]

summary = '''
Rank {{ src }} sends {{ sent_sizes or sent | count('element') }}
{%- if sent_type %} {{ sent_type }}{% endif %} to rank {{ dst }}, which expects
{{ expected_sizes or expected | count('element') }}
{%- if expected_type %} {{ expected_type }}{% endif %}.'''

[[step]]
when = "field == 'size'"
say = '''Compare the shapes ranks {{ src }} and {{ dst }} use at the places in the evidence:
  micro-batch size, sequence length, hidden size, padding of the last batch. Where shapes vary,
  send them ahead of the data.'''

[[step]]
when = "field == 'dtype'"
say = '''Cast to one type before the send: rank {{ src }} sends {{ sent_type }}, rank {{ dst }}
  expects {{ expected_type }}. Autocast, or a layer kept in another precision, is the usual
  reason.'''
*/
with
    pair as (
        select
            s.src,
            s.dst,
            s.grp_key,
            s.grp,
            s.grp_desc,
            s.p2p_seq as seq,
            s.numel as sent,
            r.numel as expected,
            s.dtypes as sent_type,
            r.dtypes as expected_type,
            s.sizes as sent_sizes,
            r.sizes as expected_sizes,
            {
                'file_id':s.file_id,
                'line_no':s.line_no,
                'text':'rank '
                || s.src
                || ': send '
                || s.src
                || '->'
                || s.dst
                || ' '
                || coalesce(s.sizes, '')
                || ' '
                || coalesce(s.dtypes, '')
            } as send_line,
            {
                'file_id':r.file_id,
                'line_no':r.line_no,
                'text':'rank '
                || r.dst
                || ': recv '
                || r.dst
                || '<-'
                || r.src
                || ' '
                || coalesce(r.sizes, '')
                || ' '
                || coalesce(r.dtypes, '')
            } as recv_line,
            s.time,
            s.nth
        from open_p2p s
        join
            open_p2p r
            on r.grp_key = s.grp_key
            and r.src = s.src
            and r.dst = s.dst
            and r.nth = s.nth
            and r.kind = 'recv'
            and r.rank = s.dst
        where s.kind = 'send' and s.rank = s.src and (s.numel <> r.numel or s.dtypes <> r.dtypes)
    )
select
    list(send_line order by nth) || list(recv_line order by nth) as evidence,
    min(time) as "at",
    list_sort([src, dst]) as ranks,
    src,
    dst,
    case when bool_or(sent <> expected) then 'size' else 'dtype' end as field,
    arg_min(sent, nth) as sent,
    arg_min(expected, nth) as expected,
    arg_min(sent_type, nth) as sent_type,
    arg_min(expected_type, nth) as expected_type,
    arg_min(sent_sizes, nth) as sent_sizes,
    arg_min(expected_sizes, nth) as expected_sizes,
    coalesce(nullif(any_value(grp_desc), ''), any_value(grp)) as "group",
    min(seq) as seq
from pair
group by src, dst, grp_key
