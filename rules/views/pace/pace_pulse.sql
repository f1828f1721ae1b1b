-- table: One row per writer and run with long steps at equal distances (period, in points) that
-- grow longer and longer: a checkpoint, an evaluation, a collection that does not stay what it was.
-- extra_first, extra_last: seconds they take beyond a usual step.
with
    tall as (
        select p.*, p.seconds - b.seconds as extra, p.k - lag(p.k) over w as gap
        from pace p
        join pace_block b on b.writer = p.writer and b.run = p.run and b.block = p.block
        where
            p.seconds > 2 * b.seconds
            and p.k > 3
            and p.n >= 40
            and p.writer not in (select writer from pace_writer where canonical = 'written')
        window w as (partition by p.writer, p.run order by p.k)
    ),
    nth as (
        select
            *,
            median(gap) over own as period,
            row_number() over (partition by writer, run order by k) as pulse,
            count(*) over own as pulses
        from tall
        window own as (partition by writer, run)
    )
select
    writer,
    run,
    any_value(period) as period,
    any_value(pulses) as pulses,
    median(extra) filter (pulse <= pulses / 3.0) as extra_first,
    median(extra) filter (pulse > pulses * 2 / 3.0) as extra_last,
    arg_min({'file_id':nth.file_id, 'line_no':line_no, 'step':step, 'time':time}, k) as first_place,
    arg_max({'file_id':nth.file_id, 'line_no':line_no, 'step':step, 'time':time}, k) as last_place,
    any_value(w.canonical) as canonical,
    any_value(w.name) as name,
    any_value(w.rank) as rank
from nth
join pace_writer w using (writer)
where period >= 3
group by writer, run
having
    any_value(pulses) >= 6
    and count(*) filter (abs(gap - period) <= greatest(1, 0.1 * period))
    >= 0.7 * (any_value(pulses) - 1)
    and extra_last > 2 * extra_first
    and extra_last
    > 0.1
    * any_value(period)
    * (select median(b.seconds) from pace_block b where b.writer = nth.writer and b.run = nth.run)
    and corr(extra, k) > 0.6
