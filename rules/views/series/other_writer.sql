-- table: One row per place of a curve whose values are only counted where time runs backwards, or
-- where it starts high behind a long pause: another process's values begin, of those that write
-- into one file block by block, or one after the other.
with
    clock as (  -- of the lines that tell a time of day themselves
        select
            file_id,
            line_no,
            try_cast(told.h as int) * 3600
            + try_cast(told.m as int) * 60
            + try_cast(told.s as int) as seconds
        from
            (
                select
                    file_id,
                    line_no,
                    regexp_extract(
                        text,
                        '(?:^|[^0-9:.])([01]?[0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])\b',
                        ['h', 'm', 's']
                    ) as told
                from
                    (
                        select file_id, line_no, text
                        from unread_metric
                        union all
                        select file_id, line_no, fields
                        from training_line
                        where step is null
                    )
                where regexp_matches(text, '[0-9]:[0-5][0-9]:[0-5][0-9]')
            )
        where told.s <> ''
    ),
    counted as (
        select
            p.series_id,
            p.file_id,
            p.line_no,
            c.seconds,
            p.time < lag(p.time) over in_order - interval 1 minute as is_back,
            epoch(p.time - lag(p.time) over in_order) as pause_seconds,
            p.value > 2 * lag(p.value) over in_order as is_high,
            -- how far the clock went, midnight apart
            (c.seconds - lag(c.seconds) over in_order + 129600) % 86400 - 43200 as went
        from series_point p
        join series_member k on k.series_id = p.series_id and k.file_id = p.file_id
        left join clock c on c.file_id = p.file_id and c.line_no = p.line_no
        where k.stepped = 0 and k.points >= 12 and k.canonical like '%loss'
        window in_order as (partition by p.series_id, p.file_id order by p.ordinal)
    )
select distinct series_id, file_id, line_no
from
    (
        select
            *,
            count_if(went > 0) over series as forwards,
            count_if(went < 0) over series as backwards,
            median(pause_seconds) over series as usual_seconds
        from counted
        window series as (partition by series_id, file_id)
    )
-- What begins again near zero is a duration, what mostly runs backwards is the time that is left.
where
    is_back
    or is_high
    and pause_seconds > greatest(900, 100 * usual_seconds)
    or went < -60
    and seconds > 600
    and forwards > 2 * backwards
