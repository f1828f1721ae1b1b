-- table: One row per series of memory in use that grows steadily until its end: the first tenth is
-- left out (start of the program), the rest of a run is cut into eight parts whose medians must
-- rise. `per_part` are these medians; `first_` and `last_` are the ends of what was looked at.
-- is_brief: a handful of samples, where memory of host and device both grow with every step.
with
    counted as (
        select
            *,
            coalesce(bytes, share) as value,
            row_number() over (partition by series order by line_no) as n,
            count(*) over (partition by series) as samples,
            count(bytes) over (partition by series)
            = count(*) over (partition by series) as in_bytes
        from memory_sample
        where coalesce(bytes, share) is not null
    ),
    -- The few steps that a report shows: with each of them it grows, and by as much.
    compared as (
        select *, value - lag(value) over (partition by series order by n) as more from counted
    ),
    brief as (
        select
            series,
            0::hugeint as run,
            any_value(what) as what,
            any_value(source) as source,
            any_value(file_id) as file_id,
            any_value(host) as host,
            any_value(rank) as rank,
            any_value(pid) as pid,
            any_value(gpu_index) as gpu_index,
            true as in_bytes,
            count(*) as points,
            min(line_no) as first_line,
            max(line_no) as last_line,
            arg_min(line_no, (abs(n - 0.5 * samples), n)) as middle_line,
            arg_min(time, n) as first_time,
            arg_max(time, n) as last_time,
            arg_min(value, n) as first_value,
            arg_max(value, n) as last_value,
            arg_max(share, n) as last_share,
            max(total_bytes) as total_bytes,
            regr_r2(value, n) as straightness
        from compared
        where in_bytes and samples between 6 and 29
        group by series
        having
            coalesce(bool_and(more > 0), false)
            and max(more) <= 2 * median(more)
            and min(more) >= 0.5 * median(more)
            and regr_r2(value, n) >= 0.98
            -- a step of the training between two of them
            and (
                select count(distinct t.step)
                from training_line t
                where
                    t.file_id = any_value(compared.file_id)
                    and t.line_no between min(compared.line_no) and max(compared.line_no)
            )
            >= count(*) - 2
    ),
    -- a program that was started again begins anew
    started as (
        select
            *,
            coalesce(value < 0.5 * lag(value) over (partition by series order by n), false) as anew
        from counted
        where in_bytes or bytes is null
    ),
    run as (
        select
            *,
            sum(anew::int) over (partition by series order by n) as run,
            sum(anew::int) over (partition by series) as times_anew
        from started
    ),
    placed as (
        select *, row_number() over w as k, count(*) over (partition by series, run) as points
        from run
        window w as (partition by series, run order by n)
    ),
    part as (
        select *, ntile(8) over (partition by series, run order by k) as part
        from placed
        -- what falls back again and again is a cache that is emptied
        where k > 0.1 * points and points >= 14 and times_anew <= 1
    ),
    level as (
        select series, run, part, median(value) as level, min(value) as lowest, count(*) as points
        from part
        group by all
    ),
    step_up as (
        select
            *,
            level > lag(level) over (partition by series, run order by part) as higher,
            lowest > lag(lowest) over (partition by series, run order by part) as floor_higher
        from level
    ),
    shape as (
        select
            series,
            run,
            count_if(higher) as times_higher,
            count_if(floor_higher) as times_floor_higher,
            list(level order by part) as per_part
        from step_up
        group by all
    ),
    span as (
        select
            p.series,
            p.run,
            any_value(what) as what,
            any_value(source) as source,
            any_value(file_id) as file_id,
            any_value(host) as host,
            any_value(rank) as rank,
            any_value(pid) as pid,
            any_value(gpu_index) as gpu_index,
            any_value(bytes) is not null as in_bytes,
            count(*) as points,
            min(line_no) as first_line,
            max(line_no) as last_line,
            arg_min(line_no, (abs(k - 0.55 * p.points), k)) as middle_line,
            arg_min(time, k) as first_time,
            arg_max(time, k) as last_time,
            arg_min(value, k) as first_value,
            arg_max(value, k) as last_value,
            max(share) as highest_share,
            arg_max(share, k) as last_share,
            max(total_bytes) as total_bytes,
            regr_r2(value, k) as straightness
        from part as p
        group by all
    ),
    stepped as (
        select
            s.series,
            s.run,
            arg_min(t.step, t.line_no) as first_step,
            arg_max(t.step, t.line_no) as last_step
        from span as s
        join
            training_line as t
            on t.file_id = s.file_id
            and t.line_no between s.first_line - 1 and s.last_line + 1
            and t.step is not null
        group by all
    ),
    seen as (
        select
            s.*,
            h.per_part,
            h.per_part[8] - h.per_part[1] as rise,
            h.times_higher,
            h.times_floor_higher,
            epoch(s.last_time) - epoch(s.first_time) as seconds,
            t.last_step - t.first_step as steps
        from span as s
        join shape as h using (series, run)
        left join stepped as t using (series, run)
    )
select
    *,
    last_value - first_value as growth,
    case when seconds > 0 then (last_value - first_value) / seconds * 3600 end as per_hour,
    case when steps > 0 then (last_value - first_value) / steps end as per_step,
    false as is_brief
from seen
where
    times_higher >= 7
    and times_floor_higher >= 6
    and straightness >= 0.8
    -- no levelling off: the last quarter rises at least half as fast as the whole
    and per_part[8] - per_part[6] >= 0.5 * rise * 2 / 7
    -- long enough to be no start of a program, whose weights and caches fill memory once
    and case
        when seconds > 0
        then seconds >= 1800 or steps >= 200
        when steps > 0
        then steps >= 200
        else points >= 30
    end
    -- a quarter more than at first, and of a size that matters
    and rise >= 0.25 * per_part[1]
    and case
        when not in_bytes
        then rise >= 10
        when what = 'process'
        then rise >= 1073741824
        else rise >= greatest(2147483648, 0.03 * coalesce(total_bytes, 0))
    end
qualify row_number() over (partition by series order by rise desc) = 1
union all by name
select
    *,
    last_value - first_value as rise,
    last_value - first_value as growth,
    (last_value - first_value) / (points - 1) as per_step,
    true as is_brief
from brief
where
    what in ('host', 'device')
    and exists (
        from brief d
        where
            d.what = 'device' and d.file_id = brief.file_id and d.last_value >= 1.5 * d.first_value
    )
    and exists (
        from brief h
        where
            h.what = 'host'
            and h.file_id = brief.file_id
            and h.last_value - h.first_value >= greatest(536870912, 0.1 * h.first_value)
    )
