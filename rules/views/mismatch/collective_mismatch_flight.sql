-- table: One row per group and number under which ranks ran something else than others, by the
-- Flight Recorder.
with
    by_value as (
        select
            grp_key,
            seq,
            field,
            value,
            list_sort(list(rank)) as ranks,
            count(*) as n,
            any_value(grp) as grp,
            any_value(grp_desc) as grp_desc,
            min(time) as time,
            list_distinct(list(host) filter (host is not null)) as hosts,
            list_sort(list(distinct kind)) as kinds,
            list(
                {
                    'file_id':file_id,
                    'line_no':line_no,
                    'text':'rank '
                    || rank
                    || ': '
                    || kind
                    || ' '
                    || coalesce(input_sizes, '')
                    || ' '
                    || coalesce(input_dtypes, '')
                    || coalesce(' at ' || place, '')
                }
                order by rank
            )[:4] as evidence
        from collective_disagreement
        where value is not null
        group by all
    ),
    ranked as (
        select *, max(n) over w as most, sum(n) over w as total
        from by_value
        window w as (partition by grp_key, seq)
    )
select
    'flight_recorder' as source,
    coalesce(nullif(any_value(grp_desc), ''), any_value(grp)) as grp,
    seq,
    any_value(field) as field,
    list(value order by n, value) as "values",
    list_sort(list_distinct(flatten(list(kinds)))) as ops,
    -- The majority is right; without one all are named.
    case
        when 2 * any_value(most) > any_value(total)
        then list_sort(flatten(list(ranks) filter (n < most)))
        else list_sort(flatten(list(ranks)))
    end as ranks,
    list_sort(flatten(list(ranks))) as all_ranks,
    list_distinct(flatten(list(hosts) filter (n < most))) as hosts,
    min(time) as time,
    list({'value':value, 'ranks':ranks} order by n, value) as parties,
    (select max_by(version, (version_major, version_minor)) from flight_rank) as version,
    flatten(list(evidence order by n, value)) as evidence
from ranked
group by grp_key, seq
