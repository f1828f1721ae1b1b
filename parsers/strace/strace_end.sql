-- table: one row per trace: its end and its start on its own clock.
select
    trace,
    max(coalesce(strace_at(last_clock, first_clock), elapsed)) as at_s,
    min(coalesce(strace_at(first_clock, first_clock), 0)) as began
from
    (
        select f.*, e.elapsed
        from strace_file f
        left join strace_elapsed e on e.file_id = f.file_id and e.line_no = f.last_line
    )
group by trace
