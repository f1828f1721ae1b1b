-- table: One row per rank that others wait for in gloo's first meeting: every rank leaves its
-- address in the store, and the others wait for the one that is not there. Groups other than the
-- default one count their own ranks, and are left out.
select
    rank_awaited,
    list(line_at(file_id, line_no) order by file_id, line_no)[:5] as evidence,
    any_value(file_id) as file_id,
    min(line_no) as line_no
from
    (
        select
            *,
            case
                when store_key is null
                then awaited
                else
                    try_cast(
                        regexp_extract(
                            store_key,
                            '^/?default_pg/[0-9]+//[a-z]+//[0-9]+/(?:rank_)?([0-9]+)[.,]?$',
                            1
                        ) as bigint
                    )
            end as rank_awaited
        from c10d_store
        where event = 'key_wait'
    )
where rank_awaited is not null and rank is distinct from rank_awaited
group by rank_awaited
