-- table: One row per stage before there is a communicator (store, rendezvous, unique_id,
-- gloo_connect) at which ranks waited for others and gave up: who waited, how many came of how
-- many, and the one rank that gloo's first meeting misses, where there is just one. What times out
-- later is a collective's own.
with
    -- Nothing where several are awaited: then nobody is named.
    gloo_awaited as (select list(rank_awaited) as ranks from gloo_rank_awaited having count(*) = 1)
select
    stage,
    list_sort(list_distinct(flatten(list(w.ranks)))) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    min(time) as "at",
    max(nranks) as nranks,
    max(joined) as joined,
    coalesce(max(joined) > max(nranks), false) as too_many_joined,
    max(timeout_ms) as timeout_ms,
    any_value(store_key) as store_key,
    any_value(error) as error,
    case when stage = 'unique_id' then coalesce(min(awaited), 0) end as awaited,
    case
        when stage <> 'store'
        then null
        -- all that came say so
        when
            max(joined) < max(nranks)
            and len(list_distinct(flatten(list(w.ranks)))) = max(joined)
            and list_max(flatten(list(w.ranks))) < max(nranks)
        then
            nullif(
                list_filter(
                    ranks_below(max(nranks)), lambda r: not list_contains(flatten(list(w.ranks)), r)
                ),
                []
            )
        -- one that waits in the store itself has come: it is not there because others are not
        when not list_has_any(any_value(g.ranks), flatten(list(w.ranks)))
        then any_value(g.ranks)
    end as missing,
    bool_and(is_last_word) as is_last_word,
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence
from init_wait_c10d w
left join gloo_awaited g on true
where not exists (from c10d_timeout_line) and not exists (from c10d_status_line)
group by stage
