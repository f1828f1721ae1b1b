-- table: One row per timeout of gloo that a program raised, whose traceback tells the collective
-- that was called, and within which function that saves or loads a checkpoint.
with
    above as (
        select t.file_id, t.line_no, t.rank, t.host, t.time, t.timeout_ms, f.*
        from c10d_timeout t
        join
            (
                select file_id as of_file, line_no as frame_line, stream, function, names
                from c10d_frame
            ) f
            on f.of_file = t.file_id
            and f.stream is not distinct from t.stream
            and t.line_no - f.frame_line between 1 and 60
        where
            t.source = 'gloo'
            -- of this exception, not of one before it
            and not exists (
                from exception x
                where
                    x.file_id = t.file_id
                    and x.stream is not distinct from t.stream
                    and x.line_no between f.frame_line and t.line_no - 1
            )
    )
select
    file_id,
    line_no,
    any_value(rank) as rank,
    any_value(host) as host,
    any_value(time) as time,
    any_value(timeout_ms) as timeout_ms,
    -- the outermost, which the program called
    arg_min(function, frame_line) filter (names = 'collective') as collective,
    arg_max(function, frame_line) filter (names = 'checkpoint') as checkpoint,
    max(frame_line) filter (names = 'checkpoint') as checkpoint_line
from above
group by file_id, line_no
