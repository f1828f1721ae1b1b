-- table: One row per full bar of Keras with its epoch, counted since the last `Epoch 1/`: no
-- number is printed beside an epoch's values.
select line_id, row_number() over (partition by file_id, stream, fit order by line_no) as epoch
from
    (
        select
            l.rowid as line_id,
            l.file_id,
            l.stream,
            l.line_no,
            (
                select count(*)
                from training_mark m
                where m.kind = 'fit' and m.file_id = l.file_id and m.line_no < l.line_no
            ) as fit
        from training_line l
        where l.trainer = 'keras' and l.step = l.planned
    )
