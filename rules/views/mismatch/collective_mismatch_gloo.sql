-- view: gloo met a message longer than the one it waits for.
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
    'a message of '
    || any_value(received_bytes)
    || ' bytes met a receiver that waits for '
    || any_value(expected_bytes) as said,
    null::varchar as version,
    list(line_at(file_id, line_no)) as evidence
from c10d_size
having count(*) > 0
