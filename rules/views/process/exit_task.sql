-- view: One row per task of which a launcher tells how it ended, several in a line unfolded
-- (0-3,5).
select distinct
    source,
    host,
    file_id,
    line_no,
    unnest(
        flatten(
            list_transform(
                string_split(coalesce(tasks, task::varchar), ','),
                lambda part:range(
                    try_cast(split_part(trim(part), '-', 1) as bigint),
                    least(
                        try_cast(regexp_extract(part, '([0-9]+) *$', 1) as bigint),
                        try_cast(split_part(trim(part), '-', 1) as bigint) + 65535
                    )
                    + 1
                )
            )
        )
    ) as task
from "exit"
where tasks is not null or task is not null
