-- table: One row per send or receive in a Flight Recorder dump that holds all operations from the
-- first: nth = the how manieth it is of its rank, group, pair and kind.
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
