-- table: One row: the first number under which ranks ran something else than others, by the
-- fingerprints of TORCH_DISTRIBUTED_DEBUG=DETAIL. Each rank is believed for itself; for the other
-- one only where no line of its own is there. is_half_told = what one side ran is known only.
with
    own as (
        select
            coalesce(rank, group_rank) as rank,
            group_rank,
            collective_seq as seq,
            collective_seq as own_seq,
            op,
            shape,
            dtype,
            host,
            time,
            file_id,
            line_no,
            1 as prefer
        from c10d_fingerprint
    ),
    -- Two calls of different number met: the other one has the number of the rank that
    -- says so.
    other as (
        select
            other_rank as rank,
            other_rank as group_rank,
            collective_seq as seq,
            other_seq as own_seq,
            other_op as op,
            other_shape as shape,
            other_dtype as dtype,
            null::varchar as host,
            time,
            file_id,
            line_no,
            2 as prefer
        from c10d_fingerprint
        where
            other_op is not null
            and (other_seq is not distinct from collective_seq or other_shape is not null)
    ),
    either as (
        from own
        union all by name
        from other
    ),
    fingerprint as (
        select *
        from either
        qualify row_number() over (partition by rank, seq order by prefer, line_no) = 1
    ),
    first_seq as (select coalesce(min(seq), -1) as seq from fingerprint),
    met as (select e.* from fingerprint e join first_seq f on f.seq = coalesce(e.seq, -1)),
    differs as (
        select
            case
                when count(distinct op) > 1
                then 'op'
                when count(distinct shape) > 1
                then 'size'
                when count(distinct dtype) > 1
                then 'dtype'
                when count(distinct own_seq) > 1
                then 'seq'
            end as field
        from met
    ),
    by_value as (
        select
            d.field,
            case
                d.field
                when 'op'
                then op
                when 'size'
                then shape
                when 'dtype'
                then dtype
                when 'seq'
                then own_seq::varchar
                else op
            end as value,
            list_sort(list(distinct rank)) as ranks,
            count(distinct rank) as n,
            list_distinct(list(op)) as kinds,
            min(seq) as seq,
            min(time) as time,
            list_distinct(list(host) filter (host is not null)) as hosts,
            list_distinct(list(line_at(file_id, line_no))) as evidence
        from met
        cross join differs d
        group by all
    ),
    -- Where one rank alone speaks: whom it names beside itself.
    named as (
        select
            case
                when count(distinct coalesce(rank, group_rank)) = 1
                then list(distinct other_rank) filter (other_rank is not null)
            end as others
        from c10d_fingerprint
    ),
    ranked as (select *, max(n) over () as most, sum(n) over () as total from by_value)
select
    'fingerprint' as source,
    null::varchar as grp,
    min(seq) as seq,
    any_value(field) as field,
    list(value order by n, value) as "values",
    list_sort(list_distinct(flatten(list(kinds)))) as ops,
    -- one half alone: who says it is no more suspect than the others
    case
        when count(*) = 1
        then []
        when any_value(total) > 2 and 2 * any_value(most) > any_value(total)
        then list_sort(flatten(list(ranks) filter (n < most)))
        else list_sort(list_distinct(flatten(list(ranks))))
    end as ranks,
    list_sort(
        list_distinct(flatten(list(ranks)) || coalesce((select others from named), []))
    ) as all_ranks,
    list_distinct(flatten(list(hosts))) as hosts,
    min(time) as time,
    list({'value':value, 'ranks':ranks} order by n, value) as parties,
    count(*) = 1 as is_half_told,
    (select others from named where len(others) > 0) as untold,
    null::varchar as version,
    list_distinct(flatten(list(evidence))) as evidence
from ranked
having count(*) > 0
