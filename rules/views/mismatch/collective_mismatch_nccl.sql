-- table: Collectives that ranks of a communicator called with different operation, type, size or
-- root at the same place, one row per mismatch. Where the ranks of a communicator called different
-- things at the same place of their sequence, from COLL lines, and messages whose size the receiver
-- did not expect. A lost or doubled line shifts a rank against the others: a difference that a
-- shift by a few calls explains is none.
with
    calls as (
        select
            c.comm_key,
            c.comm_rank,
            c.seq,
            c.op,
            c.datatype,
            c.elements,
            c.redop,
            c.root,
            c.host,
            c.time,
            c.file_id,
            c.line_no,
            hash(
                c.op,
                c.datatype,
                c.elements,
                c.redop,
                case when c.op in ('Broadcast', 'Reduce', 'Gather', 'Scatter') then c.root end
            ) as sig
        from collective_call c
        join communicator k on k.comm_key = c.comm_key and not k.ambiguous
    ),
    first as (
        select comm_key, min(seq) as seq
        from (select comm_key, seq from calls group by all having min(sig) <> max(sig))
        group by comm_key
    ),
    near as (
        select c.*, f.seq as at_seq, mode(sig) over (partition by c.comm_key, c.seq) as usual
        from calls c
        join first f on f.comm_key = c.comm_key and c.seq between f.seq and f.seq + 4
    ),
    shifted as (
        select distinct x.comm_key, x.comm_rank
        from near x
        join near y on y.comm_key = x.comm_key and y.seq <> x.seq
        where x.sig <> x.usual or y.sig <> y.usual
        -- what the rank calls here the others call a little later, or the reverse
        group by x.comm_key, x.comm_rank
        having
            bool_or(x.seq = x.at_seq and x.sig <> x.usual and y.seq > x.seq and x.sig = y.usual)
            or bool_or(
                y.seq = y.at_seq
                and x.seq > y.seq
                and x.sig = y.usual
                and x.comm_rank = y.comm_rank
                and y.sig <> y.usual
            )
    ),
    differing as (
        select n.*, n.sig <> n.usual as odd
        from near n
        where n.seq = n.at_seq and not exists (from shifted s where s.comm_key = n.comm_key)
    )
select
    'nccl calls' as source,
    comm_key as grp,
    seq,
    case
        when count(distinct op) > 1
        then 'op'
        when count(distinct datatype) > 1
        then 'dtype'
        when count(distinct elements) > 1
        then 'size'
        when count(distinct redop) > 1
        then 'redop'
        else 'root'
    end as field,
    list(distinct op order by op) as ops,
    case
        when count(distinct op) > 1
        then list(distinct op order by op)
        when count(distinct datatype) > 1
        then list(distinct datatype order by datatype)
        when count(distinct elements) > 1
        then list(distinct elements::varchar order by elements::varchar)
        when count(distinct redop) > 1
        then list(distinct redop order by redop)
        else list(distinct root::varchar order by root::varchar)
    end as "values",
    -- the majority is right; without one all are named
    case
        when count(*) filter (odd) * 2 < count(*)
        then list(comm_rank order by comm_rank) filter (odd)
        else list(comm_rank order by comm_rank)
    end::bigint[] as ranks,
    list(comm_rank order by comm_rank)::bigint[] as all_ranks,
    list(distinct host order by host) filter (odd) as hosts,
    null::varchar as version,
    'probable' as grade,
    min(time) as time,
    format(
        'collective {} of the communicator: rank(s) {} called {}, the others {}',
        seq,
        ranges(list(comm_rank) filter (odd)),
        min(op || ' of ' || elements || ' ' || datatype) filter (odd),
        min(op || ' of ' || elements || ' ' || datatype) filter (not odd)
    ) as said,
    list(line_at(file_id, line_no) order by odd desc, comm_rank)[:10] as evidence
from differing
group by comm_key, seq
having count(*) filter (odd) > 0
union all by name
select
    'nccl message size' as source,
    'size' as field,
    [local_bytes::varchar, remote_bytes::varchar] as "values",
    list(distinct host) filter (host is not null) as hosts,
    'probable' as grade,
    min(time) as time,
    format(
        'a message of {} bytes came from {} where {} bytes were expected',
        remote_bytes,
        min(peer),
        local_bytes
    ) as said,
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence
from nccl_size_mismatch
group by local_bytes, remote_bytes
union all by name
select
    'nccl' as source,
    list(distinct rank_a order by rank_a)::bigint[] as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'possible' as grade,
    min(time) as time,
    format(
        'NCCL suspects a collective mismatch at and around rank {}', ranges(list(rank_a))
    ) as said,
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence
from nccl_usage
where event = 'collective_mismatch'
having count(*) > 0
