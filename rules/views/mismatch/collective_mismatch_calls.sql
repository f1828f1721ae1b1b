-- table: One row per communicator whose ranks called different things at the same place of their
-- sequence, by NCCL_DEBUG_SUBSYS=COLL: the first such place. A lost or doubled line shifts a rank
-- against the others: a difference that a shift by a few calls explains is none.
with
    call as (
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
    differing_call as (select comm_key, seq from call group by all having min(sig) <> max(sig)),
    first_differing as (select comm_key, min(seq) as seq from differing_call group by comm_key),
    near as (
        select
            c.*,
            f.seq as at_seq,
            mode(sig order by comm_rank) over (partition by c.comm_key, c.seq) as usual
        from call c
        join first_differing f on f.comm_key = c.comm_key and c.seq between f.seq and f.seq + 4
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
    compared as (
        select n.*, n.sig <> n.usual as is_odd
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
        when count(*) filter (is_odd) * 2 < count(*)
        then list(comm_rank order by comm_rank) filter (is_odd)
        else list(comm_rank order by comm_rank)
    end::bigint[] as ranks,
    list(comm_rank order by comm_rank)::bigint[] as all_ranks,
    list(distinct host order by host) filter (is_odd) as hosts,
    null::varchar as version,
    'probable' as grade,
    min(time) as time,
    [
        {
            'value':min(op) filter (is_odd),
            'elements':min(elements) filter (is_odd),
            'dtype':min(datatype) filter (is_odd),
            'ranks': (list(comm_rank order by comm_rank) filter (is_odd))::bigint[]
        },
        {
            'value':min(op) filter (not is_odd),
            'elements':min(elements) filter (not is_odd),
            'dtype':min(datatype) filter (not is_odd),
            'ranks': (list(comm_rank order by comm_rank) filter (not is_odd))::bigint[]
        }
    ] as parties,
    list(line_at(file_id, line_no) order by is_odd desc, comm_rank)[:10] as evidence
from compared
group by comm_key, seq
having count(*) filter (is_odd) > 0
