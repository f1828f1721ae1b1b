-- table: One row: the ranks that torch's desync report says have not joined the collective.
with
    named_rank as (
        select
            d.*,
            unnest(
                list_transform(regexp_extract_all(d.lagging, '[0-9]+'), lambda n:n::bigint)
            ) as missing
        from c10d_desync d
        where d.event in ('never_joined', 'not_joined')
    )
select
    'desync_report' as source,
    case when bool_and(event = 'never_joined') then 'never_joined' else 'not_joined' end as finding,
    list_sort(list(distinct missing)) as ranks,
    []::varchar[] as hosts,
    []::bigint[] as pids,
    null::varchar as grp,
    coalesce(
        min(next_seq), (select min(collective_seq) from c10d_desync where event = 'timeout')
    ) as seq,
    (select any_value(op) from c10d_desync where event = 'timeout') as op,
    'host' as side,
    case when bool_and(event = 'never_joined') then 'init' else 'outside' end as place,
    'probable' as grade,
    min(time) as "at",
    list_distinct(list(line_at(file_id, line_no))) as evidence
from named_rank
having count(*) > 0
