-- table: One row: the ranks on which gloo met a message longer than the one they wait for.
select
    'gloo' as source,
    null::varchar as grp,
    null::bigint as seq,
    'size' as field,
    [any_value(received_bytes)::varchar, any_value(expected_bytes)::varchar] as "values",
    []::varchar[] as ops,
    list_sort(list(distinct rank) filter (rank is not null)) as ranks,
    list_sort(list(distinct rank) filter (rank is not null)) as all_ranks,
    list_distinct(list(host) filter (host is not null)) as hosts,
    min(time) as time,
    any_value(received_bytes) as received_bytes,
    any_value(expected_bytes) as expected_bytes,
    null::varchar as version,
    list(line_at(file_id, line_no)) as evidence
from c10d_size
having count(*) > 0
