-- table: One row per full bar of Keras with its epoch: no number is printed beside an epoch's
-- values. It stands in the line above (old ones count from 0), or is counted since the last
-- `Epoch 1/`. A full bar may be drawn again in its line, with the values of the validation.
select
    line_id,
    coalesce(
        case when head_line > coalesce(lag(line_no) over in_order, 0) then head_epoch::bigint end,
        row_number() over in_order
    ) as epoch
from
    (
        select
            l.rowid as line_id,
            l.file_id,
            l.stream,
            l.line_no,
            h.step as head_epoch,
            h.line_no as head_line,
            (
                select count(*)
                from training_mark m
                where m.kind = 'fit' and m.file_id = l.file_id and m.line_no < l.line_no
            ) as fit
        from training_line l
        asof left join
            (
                select file_id, line_no, coalesce(step, 1) as step
                from training_mark
                where kind in ('epoch', 'fit')
            ) h
            on h.file_id = l.file_id
            and h.line_no < l.line_no
        where l.trainer = 'keras' and l.step = l.planned
        qualify
            row_number() over (
                partition by l.file_id, l.stream, l.line_no
                order by length(l.fields) - length(replace(l.fields, ': ', '')) desc, l.rowid desc
            )
            = 1
    )
window in_order as (partition by file_id, stream, fit order by line_no)
