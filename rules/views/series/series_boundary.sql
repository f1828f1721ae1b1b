-- table: One row per restart of a curve: the line behind which it begins, or the step where that
-- line is in another file than the curve; anew: not of the curve alone, the program began again.
with
    -- values that are only counted
    counted as (
        select
            p.series_id,
            p.file_id,
            p.line_no,
            p.value,
            lag(p.value) over in_order as before,
            lead(p.value) over in_order as second,
            lead(p.value, 2) over in_order as third,
            p.line_no - lag(p.line_no) over in_order as lines,
            row_number() over in_order as place
        from series_point p
        semi join
            series_member k
            on k.series_id = p.series_id
            and k.file_id = p.file_id
            and k.stepped = 0
            and k.points >= 12
            and k.canonical like '%loss'
        where p.value > 0
        window in_order as (partition by p.series_id, p.file_id order by p.ordinal)
    ),
    -- They begin as the first ones did, behind more lines than usual: another attempt. (It fell
    -- from its first value to its third, as a loss does that is not yet learned.)
    attempt as (
        select c.series_id, c.file_id, c.line_no - 1 as line_no
        from counted c
        join counted f on f.series_id = c.series_id and f.file_id = c.file_id and f.place = 1
        join
            (select series_id, file_id, median(lines) as lines from counted group by all) u
            on u.series_id = c.series_id
            and u.file_id = c.file_id
        where
            c.place > 6
            and c.lines > u.lines
            and c.value > 1.3 * c.before
            and f.third < 0.95 * f.value
            and abs(ln(c.value / f.value)) < 0.1
            and abs(ln(c.second / f.second)) < 0.15
            and abs(ln(c.third / f.third)) < 0.15
    ),
    -- It goes on with another number of epochs or steps to do: the program was started again.
    planned as (
        select
            file_id,
            source,
            name,
            rank,
            line_no,
            step,
            steps_planned <> lag(steps_planned) over in_order as is_other
        from line_metric
        where
            canonical like '%loss'
            and steps_planned is not null
            and (file_id, source, name) in (
                select (file_id, source, name)
                from line_metric
                where canonical like '%loss'
                group by file_id, source, name
                having min(steps_planned) < max(steps_planned)
            )
        window in_order as (partition by file_id, source, name, rank order by ordinal)
    ),
    -- seconds since the start, which only grow until the program is started again
    clock as (
        select file_id, source, line_no, value < lag(value) over in_order as is_back
        from metric
        where canonical = 'elapsed_seconds'
        window in_order as (partition by file_id, source, name, rank order by ordinal)
    ),
    clock_anew as (
        select *
        from clock
        qualify
            is_back
            and count_if(is_back) over (partition by file_id, source) <= 3
            and count(*) over (partition by file_id, source)
            >= 10 * count_if(is_back) over (partition by file_id, source)
    )
select distinct k.series_id, e.file_id, e.line_no, null::double as step, false as anew
from training_event e
join series_member k using (file_id)
where e.kind in ('resume', 'load', 'midepoch_resume')
union all
select distinct k.series_id, k.file_id, null, e.step, false
from training_event e, series_member k
where
    e.kind in ('resume', 'load')
    and e.step > 0
    and e.file_id not in (select file_id from series_member where canonical = 'loss')
union all
select k.series_id, p.file_id, p.line_no - 1, null, false
from planned p
join
    series_member k
    on k.file_id = p.file_id
    and k.source = p.source
    and k.name = p.name
    and k.rank is not distinct from p.rank
where p.is_other and p.step > 1
qualify count(*) over (partition by k.series_id, p.file_id) <= 3
union all
select distinct k.series_id, c.file_id, c.line_no - 1, null, false
from clock_anew c
join series_member k on k.file_id = c.file_id and k.source = c.source
union all
-- values that are only counted, below an epoch that is one of the first again
select distinct k.series_id, e.file_id, e.line_no, null, true
from
    (
        select
            file_id,
            line_no,
            step <= 1 and lag(step) over (partition by file_id order by line_no) >= step as is_anew
        from training_mark
        where kind = 'epoch'
    ) e
join series_member k using (file_id)
where e.is_anew and k.stepped = 0
union all
select series_id, file_id, line_no, null, true
from attempt
union all
select series_id, file_id, line_no - 1, null, true
from other_writer
