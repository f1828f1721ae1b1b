-- table: One row per step of a writer (pace_writer) and how long it took: seconds, for a
-- throughput those per token or sample. run: counts restarts; k: place in the run, of n; apart: how
-- many steps lie between two; block: steps in a row that are judged together, 24 a run and at least
-- five steps each; of fewer than 40 steps each is one.
with
    points as (
        select
            c.writer,
            m.file_id,
            m.line_no,
            m.time,
            m.step,
            m.ordinal,
            case
                when m.canonical in ('throughput', 'utilization') then 1 / m.value else m.value
            end as seconds
        from metric m
        join
            pace_writer c
            on c.file_id = m.file_id
            and c.name = m.name
            and c.source = m.source
            and c.canonical = m.canonical
            and c.rank is not distinct from m.rank
        where
            m.canonical in ('step_seconds', 'throughput', 'utilization')
            and m.value > 0
            and isfinite(m.value)
        union all
        select writer, file_id, line_no, time, step, ordinal, since / further
        from
            (
                select
                    c.writer,
                    m.*,
                    epoch(m.time) - epoch(lag(m.time) over w) as since,
                    m.step - lag(m.step) over w as further
                from metric m
                join
                    pace_writer c
                    on c.file_id = m.file_id
                    and c.name = m.name
                    and c.source = m.source
                    and c.canonical = 'written'
                    and c.rank is not distinct from m.rank
                where m.canonical = 'loss'
                window w as (partition by c.writer order by m.ordinal)
            )
        where since > 0 and further > 0
    ),
    moved as (
        select *, step < 0.1 * lag(step) over w as anew, seconds > lag(seconds) over w as longer
        from points
        window w as (partition by writer order by ordinal)
    ),
    runs as (
        select
            * exclude (anew),
            coalesce(
                sum(anew::int) over (partition by writer order by ordinal rows unbounded preceding),
                0
            )::bigint as run
        from moved
    ),
    counted as (
        select *, row_number() over (partition by writer, run order by ordinal) as k from runs
    ),
    sizes as (
        select
            writer, run, count(*) as n, (max(step) - min(step)) / nullif(count(*) - 1, 0) as apart
        from counted
        group by writer, run
        -- what always grows is a clock
        having (n >= 12 or n >= 7 and apart >= 10) and count(*) filter (longer) < 0.9 * n
    )
select
    c.* exclude (longer, ordinal),
    s.n,
    s.apart,
    case
        when s.n < 40 then k - 1 else divide((k - 1), greatest(5, ceil(s.n / 24.0)::bigint))
    end as block
from counted c
join sizes s using (writer, run)
