-- table: One row per group and number in which watchdogs timed out in different operations or
-- sizes. All-to-all and its kin may differ. Who does not tell its group is taken to be of the only
-- one that is told, where its number is one that no two groups reach at the same time by chance
-- (grade: probable).
with
    told as (
        select
            coalesce(grp_desc, grp) as grp_key,
            grp,
            grp_desc,
            collective_seq as seq,
            rank,
            host,
            op,
            case
                when
                    op in (
                        'ALLREDUCE',
                        'BROADCAST',
                        'REDUCE',
                        '_ALLGATHER_BASE',
                        'ALLGATHER',
                        '_REDUCE_SCATTER_BASE',
                        'REDUCE_SCATTER'
                    )
                then numel_in
            end as numel,
            time,
            file_id,
            line_no
        from c10d_timeout_once
        where
            source in ('watchdog', 'blocking_wait')
            and rank is not null
            and op not in ('SEND', 'RECV', 'RECVANYSOURCE', 'COALESCED', 'UNKNOWN')
    ),
    only_group as (
        select any_value(grp_key) as grp_key
        from told
        having count(distinct grp_key) = 1 and (select count(distinct grp) from c10d_status) <= 1
    ),
    met as (
        select
            t.* replace (
                coalesce(t.grp_key, case when t.seq >= 100 then o.grp_key end, '') as grp_key
            ),
            t.grp_key is null
            and coalesce(t.seq >= 100 and o.grp_key is not null, false) as is_taken
        from told t
        left join only_group o on true
    ),
    odd as (
        select grp_key, seq, case when count(distinct op) > 1 then 'op' else 'size' end as field
        from met
        -- Ranks of several groups of the same name are no disagreement: each rank must be in
        -- one operation only.
        group by grp_key, seq
        having
            (count(distinct op) > 1 or count(distinct numel) > 1)
            and count(*) = count(distinct rank)
            and (
                any_value(grp) is not null
                or (select count(distinct coalesce(grp, '')) from c10d_status) <= 1
            )
    ),
    by_value as (
        select
            m.grp_key,
            m.seq,
            o.field,
            case o.field when 'op' then op else numel::varchar end as value,
            list_sort(list(distinct rank)) as ranks,
            count(distinct rank) as n,
            any_value(grp) as grp,
            any_value(grp_desc) as grp_desc,
            min(time) as time,
            bool_or(is_taken) as is_taken,
            list_distinct(list(op)) as kinds,
            list_distinct(list(host) filter (host is not null)) as hosts,
            list(line_at(file_id, line_no))[:4] as evidence
        from met m
        join odd o using (grp_key, seq)
        group by all
    ),
    ranked as (
        select *, max(n) over w as most, sum(n) over w as total
        from by_value
        window w as (partition by grp_key, seq)
    )
select
    'watchdog' as source,
    coalesce(nullif(any_value(grp_desc), ''), any_value(grp)) as grp,
    seq,
    any_value(field) as field,
    list(value order by n, value) as "values",
    list_sort(list_distinct(flatten(list(kinds)))) as ops,
    case
        when any_value(total) > 2 and 2 * any_value(most) > any_value(total)
        then list_sort(flatten(list(ranks) filter (n < most)))
        else list_sort(flatten(list(ranks)))
    end as ranks,
    list_sort(flatten(list(ranks))) as all_ranks,
    list_distinct(flatten(list(hosts) filter (n < most))) as hosts,
    min(time) as time,
    list({'value':value, 'ranks':ranks} order by n, value) as parties,
    case when bool_or(is_taken) then 'probable' end as grade,
    null::varchar as version,
    flatten(list(evidence order by n, value)) as evidence
from ranked
group by grp_key, seq
