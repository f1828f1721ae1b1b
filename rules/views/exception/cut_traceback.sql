-- table: One row per file that ends within a traceback, before the line that names the exception:
-- the last frame that is whole (line_no, file, line, function) and who printed it. of_save: a
-- checkpoint was being written.
select
    h.file_id,
    max(f.line_no) as line_no,
    any_value(h.line_no) as traceback_line,
    any_value(coalesce(h.rank, f.rank)) as rank,
    any_value(coalesce(h.host, f.host)) as host,
    max(coalesce(f.time, h.time)) as time,
    last(f.source order by f.line_no) as file,
    last(f.line order by f.line_no) as line,
    last(f."function" order by f.line_no) as "function",
    coalesce(
        bool_or(
            regexp_matches(
                f."function",
                '^(?:async_|_)?save(?:_(?:checkpoint|model|state|state_dict|pretrained|weights))?$'
            )
            and regexp_matches(
                f.source,
                '(?i)checkpoint|ckpt|serialization|safetensors'
                || '|/(?:modeling_utils|trainer|engine)\.py$'
            )
        ),
        false
    ) as of_save
from traceback h
join traceback_frame f on f.file_id = h.file_id and f.traceback_line = h.line_no
join file l on l.file_id = h.file_id
anti join traceback_end e on e.file_id = h.file_id and e.traceback_line = h.line_no
where
    not exists (
        from traceback_chain c
        where
            c.file_id = h.file_id
            and c.how = 'ignored'
            and c.line_no between h.line_no - 2 and h.line_no
    )
group by h.file_id, h.line_no
-- below a frame its line of code, the mark of the place in it, and what was cut
having count(*) >= 2 and any_value(l.lines) - max(f.line_no) <= 3
qualify row_number() over (partition by h.file_id order by max(f.line_no) desc) = 1
