-- table: One row per open send or receive in the Flight Recorder's dumps; nth = which of the open
-- ones of its rank, group, pair and kind it is.
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
