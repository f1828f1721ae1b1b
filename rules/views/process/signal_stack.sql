-- table: One row per native stack of a thread that had called abort(), or had sent itself a signal
-- that ends a process, as the handler of such a signal does: the death is in the stack.
-- is_uncaught: an exception of C++ that nobody caught; function, library: where it happened, the
-- innermost frame below the handler that is neither the C nor the C++ library's.
with
    frame as (
        select
            file_id,
            coalesce(bare_line, thread_line, line_no) as head_line,
            line_no,
            depth + case when bare_line is null then 0 else 1 end as depth,
            host,
            rank,
            time,
            function,
            source,
            regexp_matches(function, '^(?:__GI_)?abort$') as is_abort,
            regexp_matches(
                function, '^(?:(?:__GI_)?(?:raise|gsignal)|(?:__GI_)?_*pthread_kill.*)$'
            ) as is_raise,
            function = '<signal handler called>' as is_handler,
            -- of the signals that are sent to a process which cannot go on
            number_in(
                arguments, '\b(?:sig|signo|signum)=(?:[a-z]+@entry=)?(4|6|7|8|11)\b'
            ) as fatal_signal,
            regexp_matches(
                function, '^(?:std::terminate|__cxxabiv1::__terminate|__gnu_cxx::__verbose_term)'
            ) as is_terminate,
            regexp_matches(
                function,
                '^(?:(?:__GI_)?(?:abort|raise|gsignal)|(?:__GI_)?_*pthread_kill.*|std::.*|__cxa.*'
                || '|__cxxabiv1::.*|__gnu_cxx::.*|<signal handler called>|[?][?])$'
            ) as is_runtime
        from stack_frame
    ),
    stack as (
        select
            file_id,
            head_line,
            min(depth) filter (is_abort) as abort_depth,
            min(depth) filter (is_raise) as raise_depth,
            min(depth) filter (is_handler) as handler_depth,
            max(depth) filter (is_handler) as last_handler_depth
        from frame
        group by file_id, head_line
        having min(depth) filter (is_abort or is_raise) <= 7
    ),
    raised as (
        select
            f.*,
            s.abort_depth,
            s.last_handler_depth,
            case
                when s.abort_depth <= 7
                then 6
                -- debuggers may not know what raise() was called with, but what the handler was
                when f.is_raise or f.depth between s.raise_depth and s.handler_depth
                then f.fatal_signal
            end as signal
        from frame f
        join stack s using (file_id, head_line)
    )
select
    file_id,
    min(line_no) as line_no,
    any_value(host) as host,
    any_value(rank) as rank,
    any_value(time) as time,
    arg_min(signal, depth) as signal,
    bool_or(is_terminate) as is_uncaught,
    arg_min(function, depth) filter (
        not is_runtime and depth > coalesce(last_handler_depth, 0)
    ) as function,
    arg_min(regexp_extract(source, '([^/]+)$', 1), depth) filter (
        not is_runtime and depth > coalesce(last_handler_depth, 0)
    ) as library
from raised
group by file_id, head_line
having count(signal) > 0
