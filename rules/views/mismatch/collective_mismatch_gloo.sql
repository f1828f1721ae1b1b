-- table: One row per library that met a message of another size than the one it waits for: gloo,
-- and MPI, which looks at it in collectives only.
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
union all
select
    'mpi',
    null,
    null,
    'size',
    [any_value(received)::varchar, any_value(expected)::varchar],
    []::varchar[],
    list_sort(list(distinct rank) filter (rank is not null)),
    list_sort(list(distinct rank) filter (rank is not null)),
    list_distinct(list(host) filter (host is not null)),
    min(time),
    any_value(received),
    any_value(expected),
    null,
    list(line_at(file_id, line_no))
from
    (
        select
            *,
            try_cast(regexp_extract(message, 'eceived ([0-9]+)', 1) as bigint) as received,
            try_cast(regexp_extract(message, 'expected ([0-9]+)', 1) as bigint) as expected
        from library_message
        where
            library = 'mpi'
            -- MPICH cuts its text after 511 bytes
            and regexp_matches(message, 'sizes do not match across processes')
    )
having count(*) > 0
