-- table: One row per writer (log, rank) whose pace is known, with the best series that tells it:
-- step times before throughputs, these before the times at which its losses were written. Judged by
-- medians of blocks, never by single points: evaluations, checkpoints and the first steps after a
-- start are long by nature.
with
    metric_of_file as (
        select file_id, source, name, canonical, rank, count(*) as n, any_value(host) as host
        from metric
        where
            canonical in ('step_seconds', 'throughput', 'utilization')
            and value > 0
            and isfinite(value)
        group by all
        having
            count(*) >= 12
            -- lines far apart, each of which stands for many steps
            or count(*) >= 7
            and max(step) - min(step) >= 10 * (count(*) - 1)
        union all
        select file_id, source, name, 'written' as canonical, rank, count(*), any_value(host)
        from metric
        where canonical = 'loss' and time is not null and step is not null
        group by all
        -- many loggers print whole seconds
        having count(*) >= 60 and epoch(max(time)) - epoch(min(time)) >= 3 * count(*)
    ),
    chosen as (
        from metric_of_file
        -- A sampler's steps grow with the answers it writes.
        where
            not exists (
                from metric_name r
                where r.canonical in ('policy_loss', 'value_loss', 'kl', 'reward')
            )
        qualify row_number() over (partition by source, rank order by canonical, n desc, name) = 1
    )
select row_number() over (order by source, rank) as writer, *
from chosen
