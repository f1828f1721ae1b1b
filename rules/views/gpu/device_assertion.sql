-- table: One row where kernels printed assertions that failed on the device: one of them, and how
-- many threads printed one.
select
    any_value(source) as source,
    any_value(line) as line,
    any_value(kernel) as kernel,
    -- of a line that somebody broke, a part may be left
    max_by(assertion, (source is not null, length(assertion))) as assertion,
    count(*) as threads,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:3] as evidence,
    list_sort(list(distinct rank) filter (rank is not null)) as ranks,
    min(time) as "at"
from device_assert
having count(*) > 0
