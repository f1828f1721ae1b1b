-- table: One row per line of Hugging Face whose loss of 0.0 hides a NaN: it writes that where
-- every step of the window was NaN. The gradient norm beside it tells; where none is printed, that
-- the loss fell to exactly 0.0 at once and stayed there.
with
    printed as (
        select line_id, name, number, file_id, stream, line_no
        from line_value
        join line_step using (line_id)
        where trainer = 'hf'
    ),
    loss as (
        select
            line_id,
            file_id,
            stream,
            line_no > max(line_no) filter (where number <> 0) over same as is_behind,
            arg_max(number, line_no) filter (where number <> 0) over same as last_number
        from printed
        where
            name = 'loss'
            and (file_id, stream)
            not in (select (file_id, stream) from printed where name = 'grad_norm')
        window same as (partition by file_id, stream)
    )
select line_id
from printed
where name = 'grad_norm' and not isfinite(number)
union
select line_id
from
    (
        select line_id
        from loss
        where is_behind and last_number >= 0.1
        qualify count(*) over (partition by file_id, stream) >= 3
    )
