-- table: One row per exception that was printed: with its traceback, or its last line alone where
-- that is all there is. class = type without its module; line_no = its last line; frames =
-- outermost first (file:line in function); file, line, function = where it was raised; chained =
-- how it follows the one before: during | cause | ignored | thread; chain_line = the first head of
-- its chain; origin, final = it is the first or the last of its chain; thrown = what C++ calls the
-- class of one that nobody caught. The earliest exception of a
-- chain is printed first; what follows "During handling" or "direct cause" is raised later.
with
    -- what loguru prints above the frame that caught it, its mark, is where the handler was called
    inner_frame as (
        select *
        from traceback_frame
        qualify
            line_no >= coalesce(
                min(line_no) filter (mark is not null) over (partition by file_id, traceback_line),
                0
            )
    ),
    one_line as (
        select
            file_id,
            line_no,
            regexp_extract_all(
                frame_lines,
                'File \\*"([^"\\]+)\\*", line ([0-9]+)(?:, in ([^\\]+))?',
                ['source', 'line', 'name']
            ) as frame
        from traceback_end
        where frame_lines is not null
    ),
    stack as (
        select
            file_id,
            traceback_line,
            list(
                source || ':' || line || coalesce(' in ' || "function", '') order by line_no
            ) as frames,
            last(source order by line_no) as source,
            last(line order by line_no) as line,
            last("function" order by line_no) as "function"
        from inner_frame
        group by all
        union all by name
        select
            file_id,
            line_no as traceback_line,
            list_transform(
                frame,
                lambda f:f.source || ':' || f.line || coalesce(' in ' || nullif(f.name, ''), '')
            ) as frames,
            frame[-1].source as source,
            frame[-1].line::bigint as line,
            nullif(frame[-1].name, '') as "function"
        from one_line
        where len(frame) > 0
    ),
    -- IPython once printed the number in front of the line of code only.
    frame_alone as (
        select f.* replace (coalesce(f.line, n.line) as line)
        from loose_frame f
        left join loose_frame n on n.file_id = f.file_id and n.ipython_line = f.line_no
        where f.source is not null
    ),
    -- What rich draws a frame around: from its upper edge to the next lower one.
    box as (
        select file_id, stream, line_no as top_line, next_line as bottom_line
        from
            (
                select
                    *,
                    lead(line_no) over in_order as next_line,
                    lead(edge) over in_order as next_edge
                from traceback_box
                window in_order as (partition by file_id, stream order by line_no)
            )
        where edge = 'top' and next_edge = 'bottom'
    ),
    boxed_frame as (
        select f.*, b.top_line, b.bottom_line
        from frame_alone f
        join
            box b
            on b.file_id = f.file_id
            and b.stream is not distinct from f.stream
            and f.line_no between b.top_line and b.bottom_line
    ),
    -- Frames that are not below the head of a traceback, one stack until a gap.
    headless_frame as (
        select
            f.*,
            count_if(coalesce(f.line_no - before > 20, false)) over (
                partition by file_id, stream order by f.line_no
            ) as nth
        from
            (
                select
                    *, lag(line_no) over (partition by file_id, stream order by line_no) as before
                from frame_alone
                anti join traceback_frame using (file_id, line_no)
                anti join boxed_frame using (file_id, line_no)
            ) as f
    ),
    headless_stack as (
        select
            file_id,
            stream,
            max(line_no) as last_frame_line,
            list(concat(source, ':' || line, ' in ' || "function") order by line_no) as frames,
            last(source order by line_no) as source,
            last(line order by line_no) as line,
            last("function" order by line_no) as "function"
        from headless_frame
        group by file_id, stream, nth
        union all by name
        select
            file_id,
            stream,
            bottom_line as last_frame_line,
            list(concat(source, ':' || line, ' in ' || "function") order by line_no) as frames,
            last(source order by line_no) as source,
            last(line order by line_no) as line,
            last("function" order by line_no) as "function"
        from boxed_frame
        group by file_id, stream, top_line, bottom_line
    ),
    -- What was raised there is the next exception of its writer, where that is near.
    raised_without_head as (
        select l.file_id, l.line_no, s as stack
        from headless_stack s
        join
            exception_line l
            on l.file_id = s.file_id
            and l.stream is not distinct from s.stream
            and l.line_no - s.last_frame_line between 1 and 12
        qualify
            row_number() over (partition by s.file_id, s.last_frame_line order by l.line_no) = 1
            and row_number() over (
                partition by l.file_id, l.line_no order by s.last_frame_line desc
            )
            = 1
    ),
    -- torchelastic's table of failures gives the traceback of each below its rank, what spawned
    -- processes that of one below its number.
    table_entry as (
        select file_id, line_no, rank, local_rank, host
        from "exit"
        where
            source = 'torchelastic'
            and rank is not null
            and exitcode is not null
            or source = 'spawn'
            and exitcode = 1
    ),
    -- A head may name the process, its host and the time where the end does not.
    last_line as (
        select
            e.* replace (
                coalesce(h.rank, e.rank, x.rank) as rank,
                coalesce(e.local_rank, x.local_rank) as local_rank,
                coalesce(h.pid, e.pid) as pid,
                coalesce(h.host, e.host, x.host) as host,
                coalesce(e.time, h.time) as time,
                case
                    when e.frame_lines is null then e.traceback_line else e.line_no
                end as traceback_line
            )
        from traceback_end e
        left join traceback h on h.file_id = e.file_id and h.line_no = e.traceback_line
        left join
            table_entry x on x.file_id = e.file_id and e.traceback_line - x.line_no between 1 and 2
    ),
    -- Heads, and the lines that chain them, in the order of their stream.
    link as (
        select file_id, stream, line_no, 1 as is_head, null as how
        from traceback
        union all
        select file_id, stream, line_no, 0, how
        from traceback_chain
    ),
    -- A head that follows a chaining line continues the chain.
    head as (
        select
            file_id,
            stream,
            line_no,
            is_head,
            lag(how) over (partition by file_id, stream order by line_no) as chained
        from link
    ),
    chain_member as (
        select
            file_id,
            line_no as traceback_line,
            chained,
            max(line_no) filter (coalesce(chained, '') not in ('during', 'cause')) over (
                partition by file_id, stream order by line_no
            ) as chain_line
        from head
        where is_head = 1
    ),
    printed as (
        select
            e.type,
            trim(
                split_part(coalesce(e.message, ''), 'Traceback (most recent call last)', 1),
                ' ' || chr(10)
            ) as message,
            f.source as file,
            f.line,
            f."function",
            e.rank,
            e.local_rank,
            e.task,
            e.pid,
            e.host,
            e.time,
            e.time_quality,
            e.stream,
            e.file_id,
            e.line_no,
            e.traceback_line,
            f.frames,
            c.chained,
            coalesce(c.chain_line, e.line_no) as chain_line
        from last_line e
        left join stack f on f.file_id = e.file_id and f.traceback_line = e.traceback_line
        left join chain_member c on c.file_id = e.file_id and c.traceback_line = e.traceback_line
        union all by name
        select
            l.type,
            trim(
                split_part(
                    -- in the column of a narrow terminal
                    case
                        when b.file_id is not null
                        then regexp_replace(coalesce(l.message, ''), '\s*\n {8,}', ' ', 'g')
                        else coalesce(l.message, '')
                    end,
                    'Traceback (most recent call last)',
                    1
                ),
                ' ' || chr(10)
            ) as message,
            h.stack.source as file,
            h.stack.line as line,
            h.stack."function" as "function",
            h.stack.frames as frames,
            u.thrown,
            l.rank,
            l.local_rank,
            l.task,
            l.pid,
            l.host,
            l.time,
            l.time_quality,
            l.stream,
            l.file_id,
            l.line_no,
            c.chained,
            coalesce(c.chain_line, l.line_no) as chain_line
        from exception_line l
        anti join traceback_end e on e.file_id = l.file_id and e.line_no = l.line_no
        anti join driver_line d on d.file_id = l.file_id and d.line_no = l.line_no
        -- what the exception above only passes on: "backend='inductor' raised:"
        left join
            traceback_end r
            on r.file_id = l.file_id
            and r.line_no = l.line_no - 1
            and ends_with(r.message, ' raised:')
        left join chain_member c on c.file_id = r.file_id and c.traceback_line = r.traceback_line
        left join cxx_uncaught u on u.file_id = l.file_id and u.line_no = l.cxx_line
        left join raised_without_head h on h.file_id = l.file_id and h.line_no = l.line_no
        left join box b on b.file_id = l.file_id and b.bottom_line = l.line_no - 1
        where
            l.type not in ('LustreError', 'LNetError')  -- modules of the kernel
            -- a word alone, below no frame
            and not (l.type = 'KeyboardInterrupt' and l.message is null and h.stack is null)
            -- the heading of its own traceback
            and not exists (
                from traceback_end t
                where
                    t.file_id = l.file_id
                    and t.traceback_line - l.line_no between 0 and 3
                    and split_part(t.type, '.', -1) = split_part(l.type, '.', -1)
                    and l.rank is not distinct from t.rank
            )
        union all by name
        -- C++ has no more of it than its class: it is no std::exception, or says nothing
        select
            'C++ exception' as type,
            '' as message,
            u.thrown,
            u.rank,
            u.local_rank,
            u.task,
            u.pid,
            u.host,
            u.time,
            u.time_quality,
            u.stream,
            u.file_id,
            u.line_no,
            u.line_no as chain_line
        from cxx_uncaught u
        where
            -- what libraries throw has rules of its own, and a text that may be elsewhere
            not regexp_matches(
                u.thrown,
                '^(?:c10|at|torch|gloo|tensorpipe|thrust|xla|absl)::|bad_alloc$|alloc.*[Ee]rror'
            )
            and not exists (
                from exception_line l
                where
                    l.file_id = u.file_id
                    and (l.cxx_line = u.line_no or l.line_no - u.line_no between 1 and 5)
            )
    ),
    -- Several ranks write the name into one line, and the ends of theirs behind what one says.
    spelled as (
        select
            * replace (
                once as type,
                case
                    when
                        once <> type
                        or starts_with(message, once)
                        and substr(message, length(once) + 1, 1) ~ '^[A-Za-z''"\[]'
                    then
                        trim(
                            regexp_replace(
                                regexp_replace(
                                    message, '^(?:' || regexp_escape(once) || '[: ]*)+', ''
                                ),
                                '[ :]+$',
                                ''
                            )
                        )
                    else message
                end as message
            )
        from
            (
                select
                    *,
                    coalesce(
                        list_filter(
                            [2, 3, 4],
                            lambda n:length(type) > 8 * n
                            and type = repeat(left(type, divide(length(type), n)), n)
                        )[-1],
                        1
                    ) as times,
                    left(type, divide(length(type), times)) as once
                from printed
            )
    )
select
    type,
    split_part(type, '.', -1) as class,
    message,
    thrown,
    file,
    line,
    "function",
    -- what names a process stands above the first of a chain
    coalesce(rank, max(rank) over chain) as rank,
    coalesce(local_rank, max(local_rank) over chain) as local_rank,
    task,
    pid,
    host,
    time,
    time_quality,
    stream,
    file_id,
    line_no,
    traceback_line,
    frames,
    -- what is printed in passing is so with all that was raised before it
    case when bool_or(chained = 'ignored') over chain then 'ignored' else chained end as chained,
    chain_line,
    line_no = min(line_no) over chain as origin,
    line_no = max(line_no) over chain as final
from spelled
window chain as (partition by file_id, stream, chain_line)
