-- table: One row per report of values that are no numbers: the first tensor whose greatest
-- magnitude is infinite or NaN, what of its module that is, and the greatest finite magnitude
-- before it. fp16 ends at 65504: what came within a factor of ten of it overflowed by growing,
-- what did not became bad in one operation.
with
    ordered as (
        select
            *,
            not isfinite(abs_max) or not isfinite(abs_min) as is_bad,
            last_value(
                case
                    when isfinite(abs_max) and tensor not in ('weight', 'bias') then abs_max
                end ignore nulls
            ) over (
                partition by file_id, rank, batch
                order by line_no
                rows between unbounded preceding and 1 preceding
            ) as last_finite
        from overflow_value
    ),
    reported as (
        select *, row_number() over (partition by file_id, rank, batch order by line_no) as nth
        from ordered
        where is_bad
    )
select
    file_id,
    line_no,
    time,
    host,
    rank,
    batch,
    module,
    module_class,
    tensor,
    case when isnan(abs_max) then 'NaN' else 'infinite' end as holds,
    last_finite,
    coalesce(last_finite >= 6550, false) as is_near_fp16_limit
from reported
where nth = 1
union all by name
select
    file_id,
    line_no,
    time,
    host,
    rank,
    tensor,
    case holds when 'nans' then 'NaN' else 'infinite' end as holds
from overflow_line
where file_id not in (select file_id from overflow_value)
qualify row_number() over (partition by file_id, rank order by line_no) = 1
