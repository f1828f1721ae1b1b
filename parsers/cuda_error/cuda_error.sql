-- table: One row per line with a known error of the GPU runtime, as a program printed it; kind =
-- hardware | access | assert | fault | oom | capture | config | incompatible | library, as in
-- cuda_error_code; what is not in that list is no error of the runtime. A bare name in a sentence
-- does not count where a program may only ask (TensorFlow on a host without a GPU says so).
with
    keyed_line as (
        select
            *,
            regexp_replace(
                lower(
                    trim(
                        regexp_replace(
                            regexp_replace(
                                error_text,
                                '^([A-Z]+_STATUS_[A-Z_]+|(?:cuda|hip)Error[A-Z][A-Za-z]+).*$',
                                '\1'
                            ),
                            '( \(| at |: |\. |; |, ).*$',
                            ''
                        )
                    )
                ),
                '\.$',
                ''
            ) as key
        from cuda_error_line
    ),
    known_text as (
        select code, name, kind, regexp_replace(lower(text), '\.$', '') as key
        from cuda_error_code
        where text is not null
        union all
        select code, name, kind, lower(name)
        from cuda_error_code
        union all
        select code, name, kind, lower(driver_name)
        from cuda_error_code
        where driver_name is not null
    )
select
    s.file_id,
    s.line_no,
    s.time,
    s.host,
    s.rank,
    s.local_rank,
    s.task,
    s.pid,
    s.stream,
    case
        when s.api = 'HIP' or s.error_text like 'hip%' or s.error_text like 'HSA%'
        then 'hip'
        when s.error_text like '%RESULT_ERROR%'
        then 'level_zero'
        else 'cuda'
    end as api,
    s.said_as,
    c.code,
    c.name,
    c.kind,
    s.key as text
from keyed_line s
join known_text c on c.key = s.key or c.key = split_part(s.key, ' (', 1)
where
    not (
        s.said_as = 'name'
        and (
            coalesce(c.code in (2, 100, 3, 1, 800, 801, 201, 400), false)
            or c.kind = 'library'
            or c.name = 'HSA_STATUS_ERROR_OUT_OF_RESOURCES'
        )
    )
