-- table: one row per look at a process, by ps or /proc/PID/stack: its state, the kernel function it
-- is in, and what it waits for there: a key of kernel_wait_kind, or stopped.
with
    innermost as (
        select k.*, f.path
        from kernel_stack as k
        join file as f using (file_id)
        qualify
            coalesce(
                k.line_no
                <> lag(k.line_no) over (partition by k.file_id, k.stream order by k.line_no) + 1,
                true
            )
    ),
    by_stack as (
        select
            t.file_id,
            t.line_no,
            t.host,
            t.rank,
            t.kernel_function,
            coalesce(
                case when t.line_no - o.line_no <= 2 then o.pid end,
                case when t.line_no - m.line_no <= 3 then m.pid end,
                try_cast(nullif(regexp_extract(t.path, '([0-9]{3,8})[^0-9/]*$', 1), '') as bigint)
            ) as pid
        from innermost as t
        asof left join kernel_stack_of as o on o.file_id = t.file_id and t.line_no >= o.line_no
        asof left join
            (
                select file_id, line_no, pid
                from stack_mark
                where pid is not null
                union all
                select file_id, line_no, pid
                from stack_process
                where pid is not null
            ) as m
            on m.file_id = t.file_id
            and t.line_no >= m.line_no
    ),
    seen as (
        select
            file_id,
            line_no,
            host,
            rank,
            pid,
            left(state, 1) as state,
            nullif(nullif(kernel_function, '-'), '?') as kernel_function,
            cmdline
        from process_state
        where pid is not null
        union all by name
        select file_id, line_no, host, rank, pid, kernel_function
        from by_stack
        where pid is not null
    ),
    -- a function belongs to the first kind whose pattern fits
    kind as (
        select s.kernel_function, arg_min(k.waits_on, k.rowid) as waits_on
        from (select distinct kernel_function from seen) as s
        join kernel_wait_kind as k on regexp_matches(s.kernel_function, k.pattern)
        group by s.kernel_function
    )
select
    s.*,
    case
        when state = 'T' or regexp_matches(kernel_function, '^(?:do_signal_stop|do_jobctl_trap)')
        then 'stopped'
        when coalesce(state, 'D') = 'D'
        then k.waits_on
    end as waits_on
from seen as s
left join kind as k using (kernel_function)
