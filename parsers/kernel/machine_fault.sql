-- table: One row per error of a host's hardware that it could not correct: part = memory |
-- processor | pcie, origin = the device below a port that the error came from. The kernel prints
-- of what part an error is (its section) after the line that grades it.
with
    section as (
        select s.file_id, s.message as section, max(o.line_no) as line_no
        from kernel_event s
        join
            kernel_event o
            on o.file_id = s.file_id
            and o.line_no < s.line_no
            and o.kind = 'mce'
            and o.message in ('fatal', 'recoverable')
        where s.kind = 'ghes_section'
        group by all
    )
select
    e.*,
    case
        when e.kind = 'pcie_fatal' or s.section ilike '%pcie%'
        then 'pcie'
        when e.kind = 'memory_ue' or s.section ilike '%memory%'
        then 'memory'
        else 'processor'
    end as part,
    nullif(regexp_extract(e.message, 'received(?:: | from )([0-9a-f:]+\.[0-7])', 1), '') as origin
from kernel_event_of_boot e
left join section s on s.file_id = e.file_id and s.line_no = e.line_no
where
    e.kind in ('mce', 'memory_ue', 'pcie_fatal')
    and not (e.message = 'recoverable' and coalesce(s.section, '') ilike '%pcie%')
