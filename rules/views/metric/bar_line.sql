-- view: One row per step of a training's progress bar that carries values (Lightning, NeMo 1); the
-- last drawing of a step counts. step: of the run; total: the planned length; k, place: the order
-- of drawing, and that within its line.
with
    bars as (
        -- A fold is a training of its own.
        select
            file_id,
            line_no,
            stream || coalesce(
                '|' || nullif(regexp_extract(label, '(?i)fold[ _-]?[0-9]+'), ''), ''
            ) as stream,
            stream as mark_stream,
            time,
            host,
            rank,
            done,
            total,
            fields,
            rowid as k,
            coalesce(
                try_cast(regexp_extract(label, '(?i)epoch\s*\[?([0-9]+)', 1) as double),
                try_cast(
                    regexp_extract(
                        fields, '(?i)\bepoch[=: ]+(?:epoch )?\[?([0-9]+)(?:[^0-9.]|$)', 1
                    ) as double
                )
            ) as epoch,
            try_cast(
                regexp_extract(fields, 'global_step=([0-9.]+)(?:[^0-9.e]|$)', 1) as double
            ) as global_step,  -- 1.23e+5 is rounded
            contains(fields, 'v_num=') or contains(fields, 'v_num:') as lightning
        from progress_bar
        where
            fields is not null
            and done > 0  -- at 0 of 777 it says what it said last
            and not regexp_matches(
                label, '(?i)(^|[^a-z])(val|dev)([^a-z]|$)|valid|eval|test|sanity|predict'
            )
        -- Bars without a name that differ in length are those of training and of validation: the
        -- one redrawn most often is training.
        qualify
            trim(label) <> ''
            or total = mode(total) filter (trim(label) = '') over (partition by file_id, stream)
    ),
    -- the epoch that a line above names, where it names no more
    below_epoch as (
        select b.*, m.epoch as epoch_above, m.line_no as epoch_line
        from bars b
        asof left join
            (
                select
                    file_id, stream, line_no, case when kind = 'epoch' then step else 1 end as epoch
                from training_mark
                where kind in ('epoch', 'fit')
            ) m
            on m.file_id = b.file_id
            and m.stream = b.mark_stream
            and m.line_no <= b.line_no
    ),
    run as (
        select
            *,
            coalesce(
                done < 0.05 * total + 2
                and lag(done) over w > 0.95 * total - 2
                and lag(total) over w = total
                and epoch is null,
                false
            ) as again,
            epoch_line is distinct from lag(epoch_line) over w as below_next
        from below_epoch
        window w as (partition by file_id, stream order by line_no, k)
    ),
    -- each of its epochs is named
    named_epochs as (
        select file_id, stream
        from run
        where epoch is null
        group by all
        having
            count(distinct epoch_above) >= 2
            and count_if(epoch_above is null) = 0
            and count_if(again and not below_next) = 0
    ),
    counted as (
        select
            *,
            coalesce(
                epoch,
                case when (file_id, stream) in (from named_epochs) then epoch_above end,
                count_if(again) over (partition by file_id, stream order by line_no, k)
            ) as nth
        from run
    ),
    stepped as (
        -- Lightning counts its epochs from 0, resumed or not.
        select
            *,
            coalesce(
                global_step,
                (
                    nth - case
                        when lightning then 0 else min(nth) over (partition by file_id, stream)
                    end
                )
                * total
                + done
            ) as step
        from counted
    )
select
    * exclude (total, mark_stream, epoch_above, epoch_line, below_next),
    case when max(step) over (partition by file_id, stream) <= total then total end as total,
    -- a bar is drawn again and again on one line
    row_number() over (partition by file_id, stream, line_no order by k) as place
from stepped
qualify row_number() over (partition by file_id, stream, step, line_no order by k desc) = 1
