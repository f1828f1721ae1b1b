-- table: One row per spelling of an error, as runtime_error_key leaves it, and per API of the line
-- that it may be in. CUDA and HIP share most texts: a line's own API comes first, then the lower
-- number.
with
    spelling as (
        select runtime_error_key(unnest([text, older_text])) as key, *
        from gpu_error_code
        union all
        select lower(unnest(list_distinct([name, other_name]))), *
        from gpu_error_code
        union all
        -- the number alone
        select code::varchar, *
        from gpu_error_code
        where api in ('cuda', 'hip', 'acl')
    )
select s.key, l.api, s.code, s.name, s.kind, s.alone
from spelling s
cross join (values ('cuda'), ('hip'), ('level_zero'), ('acl'), ('tpu')) l(api)
where s.key is not null
qualify row_number() over (partition by s.key, l.api order by s.api <> l.api, s.code) = 1
