-- table: One row per spelling of an error of the GPU runtime, as runtime_error_key leaves it. Where
-- two errors have one text, the text stands for the lower number.
with
    spelling as (
        select runtime_error_key(unnest([text, older_text])) as key, *
        from gpu_error_code
        union all
        select lower(unnest(list_distinct([name, driver_name]))), *
        from gpu_error_code
    )
select key, code, name, kind, alone
from spelling
where key is not null
qualify row_number() over (partition by key order by code) = 1
