-- table: one row per look at a process, by ps or /proc/PID/stack: its state, the kernel function it
-- is in, and what it waits for there: a key of kernel_wait_kind, or stopped. is_passing: as of
-- kernel_wait_kind. is_typed: somebody looked at this process alone, at a prompt.
with
    -- a function belongs to the first kind whose pattern fits
    kind as (
        select
            s.kernel_function,
            arg_min(k.waits_on, k.rowid) as waits_on,
            arg_min(k.is_passing, k.rowid) as is_passing
        from
            (
                select kernel_function
                from kernel_stack
                union
                select kernel_function
                from process_state
                where kernel_function is not null
            ) as s
        join kernel_wait_kind as k on regexp_matches(s.kernel_function, k.pattern)
        group by s.kernel_function
    ),
    numbered as (
        select
            *,
            line_no
            - row_number() over (partition by file_id, stream, pid, tid order by line_no) as look
        from kernel_stack
        -- of a process its main thread
        where tid is null or tid = pid::varchar
    ),
    -- A file system waits in functions that all of them use: whose it is tells one further out.
    innermost as (
        select
            k.file_id,
            k.host,
            k.rank,
            k.stream,
            k.pid,
            f.path,
            min(k.line_no) as line_no,
            arg_min(k.kernel_function, k.line_no) as kernel_function,
            coalesce(
                arg_min(d.waits_on, k.line_no) filter (not d.is_passing), any_value(d.waits_on)
            ) as waits_on
        from numbered as k
        join file as f using (file_id)
        left join kind as d using (kernel_function)
        group by k.file_id, k.host, k.rank, k.stream, k.pid, f.path, k.look
    ),
    by_stack as (
        select
            t.file_id,
            t.line_no,
            t.host,
            t.rank,
            t.kernel_function,
            t.waits_on,
            regexp_matches(o.said, '(?:^|[$#%>]) *(?:sudo )?cat ') as is_typed,
            coalesce(
                t.pid,
                case when t.line_no - o.line_no <= 2 then o.pid end,
                case when t.line_no - m.line_no <= 3 then m.pid end,
                case when t.line_no - p.line_no <= 2 then p.pid end,
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
        -- the row of ps that somebody put above it
        asof left join
            (
                select file_id, line_no, pid
                from process_state
                where pid is not null and starts_with(state, 'D')
            ) as p
            on p.file_id = t.file_id
            and t.line_no >= p.line_no
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
            cmdline,
            -- what only asks the driver
            case
                when
                    regexp_matches(
                        cmdline, '^(?:[^ ]*/)?(?:nvidia-(?:smi|persistenced)|nv-hostengine|dcgmi)\b'
                    )
                then 'the NVIDIA driver'
            end as asks
        from process_state
        where pid is not null
        union all by name
        select file_id, line_no, host, rank, pid, kernel_function, waits_on, is_typed
        from by_stack
        where pid is not null
    ),
    placed as (
        select
            s.* exclude (waits_on, is_typed, asks),
            coalesce(s.is_typed, false) as is_typed,
            case
                when
                    state = 'T'
                    or regexp_matches(kernel_function, '^(?:do_signal_stop|do_jobctl_trap)')
                then 'stopped'
                when coalesce(state, 'D') = 'D'
                then coalesce(s.waits_on, k.waits_on, s.asks)
            end as waits_on
        from seen as s
        left join kind as k using (kernel_function)
    )
select
    *,
    coalesce(waits_on in (select k.waits_on from kind as k where k.is_passing), false) as is_passing
from placed
