-- table: One row per line of Hugging Face without a step, with the step (done of total) that the
-- progress bar of the same or an earlier line shows.
with
    bars as (
        select file_id, stream, line_no, total, max(done) as done
        from
            (
                select file_id, stream, line_no, total, done
                from progress_bar
                where
                    fields is null
                    and file_id
                    in (select file_id from training_line where trainer = 'hf' and step is null)
                union all  -- a bar with nothing between it and the dictionary
                select
                    file_id,
                    stream,
                    line_no,
                    split_part(lead, '/', 2)::double,
                    split_part(lead, '/', 1)::double
                from training_line
                where trainer = 'hf' and step is null and lead is not null
            )
        group by file_id, stream, line_no, total
    ),
    hf as (
        select
            l.rowid as line_id,
            l.file_id,
            l.stream,
            l.line_no,
            contains(l.fields, 'eval_') as evaluation
        from training_line l
        where trainer = 'hf' and step is null
    ),
    near as (
        -- Where several trainings are in one file each has its bar: the one just before its
        -- lines.
        select file_id, stream, total
        from
            (
                select h.file_id, h.stream, b.total, count(distinct b.done) as n
                from hf h
                asof join
                    bars b
                    on h.file_id = b.file_id
                    and h.stream = b.stream
                    and h.line_no >= b.line_no
                where not h.evaluation
                group by all
            )
        qualify n >= greatest(3, 0.1 * max(n) over (partition by file_id, stream))
    ),
    main as (
        from near
        union all
        -- The bar of training is the one redrawn on most lines; bars of evaluation stay on one.
        select file_id, stream, arg_max(total, n) as total
        from (select file_id, stream, total, count(*) as n from bars group by all)
        where (file_id, stream) not in (select (file_id, stream) from near)
        group by all
    ),
    main_bar as (select b.* from bars b join main using (file_id, stream, total)),
    line_above_bar as (
        select h.line_id, h.file_id, h.stream, b.done, b.total, b.line_no
        from hf h
        join
            main_bar b
            on b.file_id = h.file_id
            and b.stream = h.stream
            and b.line_no = h.line_no + 1
    ),
    -- The bar is drawn again below each line that is printed; above the first there is none.
    redrawn as (
        select file_id, stream
        from hf h
        group by file_id, stream
        having
            count(*) = (
                select count(*)
                from line_above_bar b
                where b.file_id = h.file_id and b.stream = h.stream
            )
            and min(line_no) < (
                select min(b.line_no)
                from main_bar b
                where b.file_id = h.file_id and b.stream = h.stream
            )
    ),
    line_at_bar as (
        select h.line_id, h.file_id, h.stream, b.done, b.total, b.line_no
        from hf h
        asof join
            main_bar b on h.file_id = b.file_id and h.stream = b.stream and h.line_no >= b.line_no
        where (h.file_id, h.stream) not in (from redrawn)
        union all
        select b.*
        from line_above_bar b
        join redrawn using (file_id, stream)
    )
-- Where standard output is buffered the bar runs ahead of the lines: then many lines seem to
-- share a step, and the bar says nothing.
select line_id, done, total
from line_at_bar
where
    (file_id, stream) in (
        select (file_id, stream)
        from line_at_bar
        group by file_id, stream
        having count(distinct line_no) >= 0.6 * count(*)
    )
