-- table: one row per dump: is it the second look at its process? People take the text and the JSON
-- of one moment: those are one look, unless their times tell.
select dump, bool_or(again) over (partition by process order by snapshot) as seen_before
from
    (
        select
            dump,
            process,
            snapshot,
            coalesce(
                row_number() over (partition by process, is_json order by snapshot) > 1
                or time - lag(time) over (partition by process order by snapshot)
                >= interval 5 second,
                false
            ) as again
        from stack_main
        where failure is null
    )
