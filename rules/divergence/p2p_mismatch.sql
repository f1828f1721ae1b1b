/*
title      = "A send and its receive disagree in size or type"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang", "network.peer_lost", "crash", "divergence.stack"]
about      = """
Both ends of a point-to-point operation are open, in the same place of their order, and the sender sends another number of elements, or another type, than the receiver expects.
"""
remedy     = "Compare the shapes the two ranks use (micro-batch size, sequence length, hidden size, padding of the last batch) at the places named."
false_positives = "Operations are paired by their order among the open ones; a pair that was half done when the dump was taken shifts it."
references = ["https://pytorch.org/docs/stable/distributed.html#point-to-point-communication"]
*/
with
    open as (
        select
            *,
            coalesce(nullif(input_numel, 0), output_numel) as numel,
            coalesce(input_dtypes, output_dtypes) as dtypes,
            coalesce(input_sizes, output_sizes) as sizes,
            row_number() over (partition by rank, grp_key, src, dst, kind order by record_id) as nth
        from flight_operation
        where
            is_p2p
            and pending
            and not is_gloo
            and src is not null
            and dst is not null
            and kind in ('send', 'recv')
    ),
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
            s.file_id as send_file,
            s.line_no as send_line,
            r.file_id as recv_file,
            r.line_no as recv_line,
            s.time,
            s.nth
        from open s
        join
            open r
            on r.grp_key = s.grp_key
            and r.src = s.src
            and r.dst = s.dst
            and r.nth = s.nth
            and r.kind = 'recv'
            and r.rank = s.dst
        where s.kind = 'send' and s.rank = s.src and (s.numel <> r.numel or s.dtypes <> r.dtypes)
    )
select
    'Rank '
    || src
    || ' sends '
    || coalesce(arg_min(sent_sizes, nth), '?')
    || ' '
    || coalesce(arg_min(sent_type, nth), '')
    || ' to rank '
    || dst
    || ', which expects '
    || coalesce(arg_min(expected_sizes, nth), '?')
    || ' '
    || coalesce(arg_min(expected_type, nth), '')
    || '.' as summary,
    list(
        {
            'file_id':send_file,
            'line_no':send_line,
            'text':'rank '
            || src
            || ': send '
            || src
            || '->'
            || dst
            || ' '
            || coalesce(sent_sizes, '')
            || ' '
            || coalesce(sent_type, '')
        }
        order by nth
    ) || list(
        {
            'file_id':recv_file,
            'line_no':recv_line,
            'text':'rank '
            || dst
            || ': recv '
            || dst
            || '<-'
            || src
            || ' '
            || coalesce(expected_sizes, '')
            || ' '
            || coalesce(expected_type, '')
        }
        order by nth
    ) as evidence,
    min(time) as "at",
    list_sort([src, dst]) as ranks,
    src,
    dst,
    case when bool_or(sent <> expected) then 'size' else 'dtype' end as field,
    arg_min(sent, nth) as sent,
    arg_min(expected, nth) as expected,
    coalesce(nullif(any_value(grp_desc), ''), any_value(grp)) as "group",
    min(seq) as seq
from pair
group by src, dst, grp_key
