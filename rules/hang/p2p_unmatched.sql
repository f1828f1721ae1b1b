/*
title      = "A send without its receive, or the reverse"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang.collective_timeout", "network.peer_lost", "crash", "divergence.stack", "divergence.collective_count"]
about      = """
One rank waits in a point-to-point operation, and the Flight Recorder of its peer holds no counterpart that is open: the peer does nothing, or stands in a collective that the first rank has not entered.
"""
remedy     = "Compare the order of sends and receives on the two ranks (a pipeline schedule, a condition on the micro-batch or stage): the peer went past the call, or never comes to it."
false_positives = "The peer is only late: its dump was taken before it came to the call."
references = ["https://pytorch.org/docs/stable/distributed.html#point-to-point-communication"]
*/
with
    turn as (  -- which of the operations of its pair each one is; countable only where the record holds all of them
        select
            o.file_id,
            o.record_id,
            o.rank,
            o.grp_key,
            o.src,
            o.dst,
            o.kind,
            row_number() over (
                partition by o.rank, o.grp_key, o.src, o.dst, o.kind order by o.record_id
            ) as nth
        from flight_operation o
        join flight_rank r on r.file_id = o.file_id and r.first_record = 0 and r.complete
        where o.is_p2p and o.src is not null and o.dst is not null
    ),
    lone as (
        select w.*, o.src, o.dst, o.kind
        from rank_wait w
        join flight_operation o on o.file_id = w.file_id and o.record_id = w.record_id
        where
            w.by_pair
            and not exists (from rank_suspect)
            -- The peer has done its part already: the data are on their way, or were when the
            -- dump was taken.
            and not exists (
                from turn t
                join
                    turn p
                    on p.rank = w.culprit
                    and p.grp_key = t.grp_key
                    and p.src = t.src
                    and p.dst = t.dst
                    and p.nth = t.nth
                    and p.kind <> t.kind
                where t.file_id = w.file_id and t.record_id = w.record_id
            )
            and (
                not exists (
                    from rank_progress p
                    where p.source = w.source and p.rank = w.culprit and p.state = 'waiting'
                )
                and not exists (from rank_wait x where x.source = w.source and x.waiter = w.culprit)
                or exists (
                    from rank_wait x
                    where
                        x.source = w.source
                        and x.waiter = w.culprit
                        and x.culprit = w.waiter
                        and not x.by_pair
                )
            )
    )
select
    'Rank '
    || waiter
    || ' waits in '
    || any_value(kind)
    || ' '
    || src
    || '->'
    || dst
    || ' ('
    || count(*)
    || ' open), and rank '
    || culprit
    || ' has no '
    || case when any_value(kind) = 'send' then 'receive' else 'send' end
    || ' for it.' as summary,
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
    src,
    dst,
    coalesce(nullif(any_value(grp_desc), ''), any_value(grp)) as "group",
    min(seq) as seq,
    any_value(kind) as op
from lone
group by waiter, culprit, src, dst
union all by name
-- NCCL's own lines: one pair of a job that hung has called for more of one kind than of the
-- other, and all other pairs agree.
select
    'Rank '
    || case when sends > recvs then src else dst end
    || ' called '
    || case when sends > recvs then 'Send' else 'Recv' end
    || ' '
    || greatest(sends, recvs)
    || ' times and rank '
    || case when sends > recvs then dst else src end
    || ' called '
    || case when sends > recvs then 'Recv' else 'Send' end
    || ' '
    || least(sends, recvs)
    || ' times ('
    || src
    || '->'
    || dst
    || ' of the communicator).' as summary,
    list_filter([last_send, last_recv], lambda x:x is not null) as evidence,
    list_sort([src, dst])::bigint[] as ranks,
    src,
    dst,
    comm_key as "group",
    least(sends, recvs) + 1 as seq,
    case when sends > recvs then 'send' else 'recv' end as op,
    'possible' as confidence,
    'warning' as severity
from
    (
        select p.*, count_if(sends <> recvs) over () as odd
        from nccl_pair_count p
        -- both ends must be heard of in the communicator's logs
        where
            (
                select count(*)
                from nccl_rank r
                where
                    r.comm_key = p.comm_key
                    and r.comm_rank in (p.src, p.dst)
                    and r.starts + r.completes > 0
            )
            = 2
    )
where
    sends <> recvs
    and odd = 1
    and exists (from trouble_sign where sign in ('timeout', 'heartbeat', 'abort'))
    and not exists (from missing_rank_suspect)
