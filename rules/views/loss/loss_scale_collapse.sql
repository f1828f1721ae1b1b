-- table: One row per writer whose loss scale was halved again and again down to nothing, or whose
-- steps overflow at the least scale there is (overflows_at_minimum: how many in a row), and after
-- which no loss worth the name follows: from highest to lowest in so many halvings, between
-- first_line and last_line of the file. step: the first one with a small scale. Where the loss has
-- fallen all the way, steps between were taken. A small scale that does not fall says nothing by
-- its value alone, beside three losses or fewer.
with
    scale as (
        select
            file_id,
            line_no,
            time,
            rank,
            value,
            coalesce(step, -1) as step,
            try_cast(regexp_extract(message, 'ttempted loss scale: ([0-9.e+]+),', 1) as double)
            = value as is_at_minimum,
            true as is_told
        from training_event
        where kind in ('overflow', 'scale_down', 'scale_up') and value is not null
        union all
        select file_id, line_no, time, rank, value, step, null as is_at_minimum, false as is_told
        from metric
        where canonical = 'loss_scale' and value > 0
    ),
    moved as (
        select *, (case when value > lag(value) over w then 1 else 0 end) as has_grown
        from scale
        window w as (partition by file_id, rank order by line_no)
    ),
    fall as (  -- numbered by how often the scale had grown before
        select *, sum(has_grown) over (partition by file_id, rank order by line_no) as nth
        from moved
    ),
    fallen as (
        select
            file_id,
            rank,
            count(distinct value) - 1 as halvings,
            max(value) as highest,
            min(value) as lowest,
            min(time) as time,
            bool_or(is_told) as is_told,
            arg_min(line_no, line_no) as first_line,
            max(line_no) as last_line,
            min(nullif(step, -1)) filter (value < 4096) as step,
            case
                when
                    count_if(is_at_minimum) > 1
                    and max(line_no) filter (is_at_minimum) - min(line_no) filter (is_at_minimum)
                    <= 5 * count_if(is_at_minimum)
                then count_if(is_at_minimum)
            end as overflows_at_minimum
        from fall
        group by file_id, rank, nth
    )
select f.* exclude (is_told)
from fallen f
where
    -- at 2 or below after at least six halvings in a row, or so low that it is plain without them;
    -- one halving alone is what a scaler does
    (
        halvings >= 6
        and lowest <= 2
        -- or where the log ends with the last of them, five steps in a row
        or halvings >= 4
        and lowest <= 2
        and is_told
        and last_line > (select lines - 5 from file i where i.file_id = f.file_id)
        or lowest < 0.004
        and (halvings >= 2 or lowest < 0.00001)
        or lowest < 0.001
        and halvings = 1
        and is_told
        or overflows_at_minimum is not null
    )
    -- Some print the way down only: where it is higher later it went up again between.
    and not exists (
        from scale s
        where s.file_id = f.file_id and s.line_no > f.last_line and s.value > 2 * f.lowest
    )
    and (
        select count(*)
        from metric m
        where
            m.file_id = f.file_id
            and m.line_no > f.last_line
            and m.canonical = 'loss'
            and isfinite(m.value)
    )
    < 20
    and not coalesce(
        (
            select
                count(*) >= 4
                and arg_max(m.value, m.line_no) = min(m.value)
                and min(m.value) < 0.97 * arg_min(m.value, m.line_no)
                or count(*) <= 3
                and f.halvings < 6
                and not f.is_told
            from metric m
            where
                m.file_id = f.file_id
                and m.rank is not distinct from f.rank
                and m.line_no >= f.first_line
                and m.canonical = 'loss'
        ),
        false
    )
