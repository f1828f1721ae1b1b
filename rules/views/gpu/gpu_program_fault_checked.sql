-- table: One row per checker or debugger, and host, that found a kernel of the program accessing
-- memory which it must not: where it was, if the kernel of the first of all accesses is told.
with
    fault as (
        select
            f.*,
            p.kernel,
            p.source_file,
            p.source_line,
            row_number() over (partition by f.tool, f.host order by f.file_id, f.line_no) as n
        from device_fault f
        left join
            device_fault_place p
            on p.file_id = f.file_id
            and (p.fault_line = f.line_no or p.signal_line = f.signal_line)
            and p.line_no - f.line_no between 1 and 8
        where f.signal_line is null or f.line_no - f.signal_line <= 4
    )
select
    list_concat(
        list(line_at(file_id, line_no) order by n)[1:10],
        list(line_at(file_id, line_no + 1) order by n) filter (kernel is not null)[1:5]
    ) as evidence,
    min(time) as "at",
    max(time) as until,
    case when host is not null then [host] else [] end as hosts,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    'critical' as severity,
    'definite' as confidence,
    case when tool = 'rocgdb' then 'amd' else 'nvidia' end as vendor,
    tool as checker,
    any_value(access order by n) as access,
    any_value(space order by n) as space,
    arg_min(kernel, n) filter (kernel is not null) as kernel,
    arg_min(source_file, n) filter (source_file is not null) as source_file,
    arg_min(source_line, n) filter (source_line is not null) as source_line,
    count(*) as lines
from fault
group by tool, host
