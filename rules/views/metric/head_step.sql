-- table: One row per line of values alone that is below a line which counts, where such lines are
-- once below each (kind: epoch, or count of steps), with that count.
with
    head as (
        select
            file_id,
            stream,
            line_no,
            kind,
            step,
            lag(step) over (partition by file_id, stream, kind order by line_no) as before,
            min(step) over (partition by file_id, stream, kind) as first_step
        from training_mark
        where kind in ('epoch', 'count') and step is not null
    ),
    -- it counts on; epochs may begin anew
    counting as (
        select file_id, stream, kind
        from head
        group by file_id, stream, kind
        having
            count(*) >= 3
            and bool_and(before is null or step > before or kind = 'epoch' and step = first_step)
            and count_if(step = first_step) <= 0.2 * count(*)
        qualify row_number() over (partition by file_id, stream order by kind) = 1
    ),
    counted as (
        select file_id, stream, kind, line_no, step
        from head
        join counting using (file_id, stream, kind)
    ),
    line as (
        select
            l.rowid as line_id,
            l.file_id,
            l.stream,
            coalesce(l.phase, '') || regexp_replace(
                l.fields, '(?i)[-+]?(?:[0-9.]+(?:e[-+]?[0-9]+)?|nan|inf)', '#', 'g'
            ) as shape,
            c.line_no as head_line,
            c.kind,
            c.step
        from (select rowid, * from training_line where trainer = 'alone' and step is null) l
        asof join
            counted c on c.file_id = l.file_id and c.stream = l.stream and c.line_no <= l.line_no
    )
select line_id, file_id, kind, step
from line
where
    (file_id, stream, shape) in (
        select (file_id, stream, shape)
        from line
        group by file_id, stream, shape
        having count(*) >= 3 and count(distinct head_line) >= 0.95 * count(*)
    )
