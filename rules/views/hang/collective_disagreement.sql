-- table: One row per rank, group and number where ranks of the group ran different operations,
-- sizes or types under one number, the first such number of each group. Nobody is late there: they
-- disagree. field = op | size | dtype, value = what this rank ran.
with
    op as (
        select
            rank,
            host,
            grp_key,
            grp,
            grp_desc,
            collective_seq as seq,
            kind,
            upper(kind) as op,
            input_numel,
            input_dtypes,
            input_sizes,
            file_id,
            line_no,
            time,
            place,
            count(*) over (partition by rank, grp_key, collective_seq) as times
        from flight_operation
        where not is_p2p and collective_seq is not null and kind not like '%coalesced%'
    ),
    single as (select * from op where times = 1),
    -- Sizes must agree only where every rank gives as much as the others do.
    compared as (
        select
            *,
            case
                when
                    regexp_matches(
                        kind,
                        '^(all_?reduce|all_?gather_?base|all_gather|broadcast|reduce'
                        || '|reduce_scatter|reduce_?scatter_?base)$'
                    )
                then input_numel
            end as size
        from single
    ),
    odd as (
        select
            grp_key,
            seq,
            count(distinct kind) > 1 as by_op,
            count(distinct kind) = 1 and count(distinct input_dtypes) > 1 as by_dtype,
            count(distinct kind) = 1 and count(distinct size) > 1 as by_size
        from compared
        group by grp_key, seq
        having by_op or by_dtype or by_size
    ),
    first_odd as (select grp_key, min(seq) as seq from odd group by grp_key)
select
    c.*,
    case when o.by_op then 'op' when o.by_size then 'size' else 'dtype' end as field,
    case
        when o.by_op then c.kind when o.by_size then c.size::varchar else c.input_dtypes
    end as value
from compared c
join first_odd using (grp_key, seq)
join odd o using (grp_key, seq)
