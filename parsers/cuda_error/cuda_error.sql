-- table: Errors of the CUDA or HIP runtime as programs printed them; kind = hardware | access |
-- assert | fault | oom | capture | config | incompatible | library. One row per line that names a
-- known error of the GPU runtime; what is not in the list of codes is no error of it. A name in a
-- sentence is looked for only where the program did not merely find no GPU (TensorFlow on a host
-- without one says so).
with
    said as (
        select
            *,
            regexp_replace(
                lower(
                    trim(
                        regexp_replace(
                            regexp_replace(
                                error_text,
                                '^([A-Z]+_STATUS_[A-Z_]+|cudaError[A-Z][A-Za-z]+|hipError[A-Z][A-Za-z]+).*$',
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
    codes as (
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
from said s
join codes c on c.key = s.key or c.key = split_part(s.key, ' (', 1)
where
    not (
        s.said_as = 'name'
        and (
            coalesce(c.code in (2, 100, 3, 1, 800, 801, 201, 400), false)
            or c.kind = 'library'
            or c.name = 'HSA_STATUS_ERROR_OUT_OF_RESOURCES'
        )
    )
