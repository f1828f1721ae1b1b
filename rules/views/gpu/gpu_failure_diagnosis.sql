-- table: One row per dcgmi diag whose tests of the GPU failed, and per dcgmi health that calls one
-- unhealthy. A diagnosis that could not get at the GPU, because somebody used it (busy), tells
-- nothing of it.
with
    note as (
        select
            file_id,
            dcgm_test_line,
            min(line_no) as line_no,
            any_value(host) as host,
            string_agg(message, '' order by line_no) as text
        from dcgm_note
        group by all
    ),
    failed_test as (
        select
            t.file_id,
            t.line_no,
            t.host,
            t.test,
            coalesce(
                t.gpu_index,
                try_cast(nullif(regexp_extract(t.message, 'GPU: ([0-9]+)$', 1), '') as bigint),
                try_cast(nullif(regexp_extract(n.text, '\bGPU ([0-9]+)\b', 1), '') as bigint)
            ) as gpu_index,
            nullif(
                regexp_extract(n.text, '(?:GPU [0-9]+ )?has [a-z][ -\-/-{}~]{3,120}', 0), ''
            ) as reason,
            coalesce(
                regexp_matches(
                    n.text,
                    'busy or unavailable|insufficient free memory|[Nn]ot enough memory|in use by'
                ),
                false
            ) as is_busy
        from dcgm_test t
        left join
            note n
            on n.file_id = t.file_id
            and n.dcgm_test_line = coalesce(t.dcgm_test_line, t.line_no)
        where
            t.result = 'Fail'
            and regexp_matches(
                t.test,
                'memory|diagnostic|pcie|stress|power|bandwidth|pulse|row remap|nvlink|integration'
                || '|\beud\b|nvbandwidth|^SM system$',
                'i'
            )

        union all
        select
            file_id,
            line_no,
            host,
            null,
            try_cast(nullif(regexp_extract(text, '\bGPU ([0-9]+)\b', 1), '') as bigint),
            nullif(regexp_extract(text, '(?:GPU [0-9]+ )?has [a-z][ -\-/-{}~]{3,120}', 0), ''),
            false
        from note
        where
            not exists (
                from dcgm_test as t
                where
                    t.file_id = note.file_id
                    and coalesce(t.dcgm_test_line, t.line_no) = note.dcgm_test_line
            )
            and regexp_matches(
                text,
                'GPU [0-9]+ has (?:uncorrectable|more than|[0-9]+ (?:pending|double))'
                || '|remappings? (?:are|is|has) (?:pending|failed)'
            )
    )
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:10] as evidence,
    list(distinct gpu_index::varchar) filter (gpu_index is not null) as gpus,
    any_value(trim(reason)) as diagnosis,
    list(distinct host) filter (host is not null) as hosts,
    'probable' as confidence,
    case when bool_and(is_busy) then 'info' else 'critical' end as severity,
    'nvidia' as vendor,
    case when bool_and(test like '% system') then 'unhealthy' else 'diagnosis' end as kind,
    case when bool_and(is_busy) then true end as busy,
    any_value(test) as error,
    list_sort(list(distinct test) filter (test is not null)) as tests,
    list_sort(list(distinct gpu_index) filter (gpu_index is not null)) as gpu_indexes
from failed_test
group by file_id
