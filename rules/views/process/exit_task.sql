-- view: One row per task of which a launcher tells how it ended, several in a line unfolded
-- (0-3,5).
select distinct
    source,
    host,
    file_id,
    line_no,
    unnest(numbers_listed(coalesce(tasks, task::varchar), 65536)) as task
from "exit"
where tasks is not null or task is not null
