-- table: One row per loss_jump that the norm of the gradients ran ahead of: the first step just
-- before it where the norm was 4 times above its own level.
with
    near as (
        select
            j.series_id,
            j.run,
            j.start_step,
            m.file_id,
            m.line_no,
            m.step,
            m.value,
            m.step >= j.start_step - 10 * j.interval as close
        from loss_jump j
        join
            metric m
            on m.file_id = j.file_id
            and m.canonical = 'grad_norm'
            and isfinite(m.value)
            and m.step between j.start_step - 60 * j.interval and j.start_step
    ),
    level as (
        select
            series_id,
            run,
            start_step,
            median(value) filter (not close) as usual,
            quantile_cont(value, 0.95) filter (not close) as high,
            count(*) filter (not close) as n
        from near
        group by all
    )
select
    n.series_id,
    n.run,
    n.start_step,
    min(n.step) as step,
    arg_min(n.value, n.step) as value,
    any_value(l.usual) as usual,
    arg_min(line_at(n.file_id, n.line_no), n.step) as evidence
from near n
join level l using (series_id, run, start_step)
where n.close and l.n >= 10 and l.usual > 0 and n.value > greatest(4 * l.usual, 1.5 * l.high)
group by n.series_id, n.run, n.start_step
