-- table: One row per loss_jump beside which other losses are printed (data sets, tasks, layers):
-- the names of those that rose with it, of those that did not (calm), and of those that were zero
-- before (begun).
with
    near as (
        select
            j.series_id,
            j.run,
            j.start_step,
            m.name,
            median(m.value) filter (m.step < j.start_step) as usual,
            quantile_cont(m.value, 0.9) filter (m.step < j.start_step) as high,
            quantile_cont(m.value, 0.1) filter (m.step < j.start_step) as low,
            count(*) filter (m.step < j.start_step) as n,
            max(m.value) filter (m.step >= j.start_step) as top
        from loss_jump j
        join
            metric m
            on m.file_id = j.file_id
            and m.canonical = 'component_loss'
            and isfinite(m.value)
            and m.step
            between j.start_step
            - 40 * j.interval and greatest(j.peak_step, j.start_step + 2 * j.interval)
        where m.name <> j.name
        group by all
    ),
    judged as (
        select *, top > usual + 3 * (high - low) and top > usual + 0.1 * abs(usual) as rose
        from near
        where n >= 8 and usual is not null and top is not null
    )
-- A part that was exactly zero is switched on: by plan.
select
    series_id,
    run,
    start_step,
    list(name order by name) filter (rose) as rose,
    list(name order by name) filter (not rose) as calm,
    list(name order by name) filter (rose and usual = 0 and high = 0 and low = 0) as begun
from judged
group by all
