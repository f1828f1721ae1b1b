-- view: The largest piece in the list that XLA prints below a failure, with the operation named
-- right below its size and the line of the program that asks for it. One row per failure with such
-- a list; `file_id` and `line_no` are those of the failure.
select
    f.file_id,
    f.line_no,
    a.size_bytes as largest_allocation_bytes,
    o.op as largest_allocation_op,
    o.source || coalesce(':' || o.source_line, '') as largest_allocation_source
from oom_failure f
join
    xla_allocation a
    on a.file_id = f.file_id
    and a.size_bytes is not null
    and a.line_no between f.line_no and f.line_no + 400
left join
    xla_allocation o
    on o.file_id = a.file_id
    and o.breakdown_line = a.breakdown_line
    and o.op is not null
    and o.line_no between a.line_no + 1 and a.line_no + 3
where f.framework in ('xla', 'jax')
qualify
    row_number() over (
        partition by f.file_id, f.line_no order by a.size_bytes desc, a.line_no, o.line_no
    )
    = 1
