-- table: One row per native stack of a process that had called abort(): its death is in the stack.
-- is_uncaught: an exception of C++ that nobody caught; function, library: where it was raised, the
-- innermost frame that is neither the C nor the C++ library's.
with
    frame as (
        select
            file_id,
            coalesce(bare_line, thread_line) as head_line,
            min(line_no) over (
                partition by file_id, coalesce(bare_line, thread_line)
            ) as first_line,
            line_no,
            depth,
            host,
            rank,
            time,
            function,
            source,
            regexp_matches(function, '^(?:__GI_)?abort$') as is_abort,
            regexp_matches(
                function, '^(?:std::terminate|__cxxabiv1::__terminate|__gnu_cxx::__verbose_term)'
            ) as is_terminate,
            regexp_matches(
                function,
                '^(?:(?:__GI_)?(?:abort|raise|gsignal)|(?:__GI_)?_*pthread_kill.*|std::.*|__cxa.*'
                || '|__cxxabiv1::.*|__gnu_cxx::.*|[?][?])$'
            ) as is_runtime
        from stack_frame
        where coalesce(bare_line, thread_line) is not null
    ),
    aborted as (
        select
            file_id,
            head_line,
            any_value(first_line) as first_line,
            any_value(host) as host,
            any_value(rank) as rank,
            any_value(time) as time,
            bool_or(is_terminate) as is_uncaught,
            min(depth) filter (is_abort) as abort_depth,
            arg_min(function, depth) filter (not is_runtime) as function,
            arg_min(regexp_extract(source, '([^/]+)$', 1), depth) filter (not is_runtime) as library
        from frame
        group by file_id, head_line
    )
select file_id, first_line as line_no, host, rank, time, is_uncaught, function, library
from aborted
where abort_depth <= 6
