-- table: one row per frame of a thread in a dump, with what its symbol says of the thread.
-- d: depth, the innermost is the smallest. nth: frames so far, without wrappers and native ones.
-- busy: calls further in that do more than wait. label: function (file:line). People write the
-- heads of several processes above the one stack that all of them had: it is the stack of each.
with
    main_head as (  -- heads of main threads, one below the other: each island ends with the stack
        select
            file_id,
            line_no,
            tid,
            max(line_no) over (partition by file_id, stream, island) as last_line,
            count(*) over (partition by file_id, stream, island, tid) as of_one
        from
            (
                select
                    file_id,
                    line_no,
                    tid,
                    stream,
                    line_no
                    - row_number() over (partition by file_id, stream order by line_no) as island
                from stack_thread
                where source_kind = 'py-spy' and name = 'MainThread' and tid is not null
            )
    ),
    shared as (
        select h.file_id, h.line_no, h.last_line
        from main_head as h
        anti join
            (select distinct file_id, thread_line from stack_frame) as f
            on f.file_id = h.file_id
            and f.thread_line = h.line_no
        where h.line_no < h.last_line and h.of_one = 1
    ),
    bare as (
        select b.file_id, b.at, coalesce(t.line_no, s.thread_line, b.at) as thread_line
        from
            (
                select distinct file_id, coalesce(bare_line, line_no) as at
                from stack_frame
                where thread_line is null
            ) as b
        left join stack_thread as t on t.file_id = b.file_id and t.line_no = b.at - 1
        left join stack_selected as s on s.file_id = b.file_id and s.at = b.at
        -- the frame that is shown when a thread is chosen is the first of its stack, too
        where
            not exists (
                from stack_selected as o
                where o.file_id = b.file_id and o.thread_line = b.at - 1 and o.at is not null
            )
    ),
    frame as (
        select file_id, line_no, thread_line, depth, function, source, line, arguments
        from stack_frame
        where thread_line is not null
        union all
        select f.file_id, f.line_no, s.line_no, f.depth, f.function, f.source, f.line, f.arguments
        from stack_frame as f
        join shared as s on s.file_id = f.file_id and s.last_line = f.thread_line
        union all
        select
            f.file_id,
            f.line_no,
            b.thread_line,
            f.depth + case when f.bare_line is null then 0 else 1 end,
            function,
            source,
            line,
            arguments
        from stack_frame as f
        join bare as b on b.file_id = f.file_id and b.at = coalesce(f.bare_line, f.line_no)
        where f.thread_line is null
    ),
    placed as (
        select
            f.file_id,
            f.thread_line,
            f.line_no,
            case
                when t.source_kind in ('pystack', 'python stack', 'austin')
                then - f.depth
                else f.depth
            end as d,
            s.name,
            s.native,
            s.own_code,
            s.skipped,
            s.shown_path,
            s.by_stack,
            s.by_near,
            s.by_weak,
            s.by_native,
            s.by_top,
            coalesce(s.py_line, f.line) as line,
            case
                when s.own_code and coalesce(s.py_line, f.line) is not null
                then s.name || ' (' || s.shown_path || ':' || coalesce(s.py_line, f.line) || ')'
                else s.name || ' (' || s.shown_path || ')'
            end as label
        from frame as f
        join
            stack_symbol as s
            on s.function is not distinct from f.function
            and s.source is not distinct from f.source
            and s.arguments
            is not distinct from case when contains(f.arguments, ', for file ') then f.arguments end
        left join stack_thread as t on t.file_id = f.file_id and t.line_no = f.thread_line
    )
select
    *,
    count_if(not skipped and not native) over (w rows unbounded preceding) as nth,
    -- (the innermost has no rows before it, and a count of none is NULL)
    coalesce(
        count_if(
            not skipped and not native and by_top is null and by_weak.class is distinct from 'wait'
        ) over (w rows between unbounded preceding and 1 preceding),
        0
    ) as busy
from placed
window w as (partition by file_id, thread_line order by d)
