-- table: One row per writer and run that became slower for good, at the step where it began: where
-- the blocks behind are highest above the blocks before, all but a few of either side. before,
-- behind: usual seconds of a step; grows: it goes on becoming slower.
with
    sides as (
        select
            *,
            quantile_cont(seconds, 0.9) over before as high_before,
            median(seconds) over before as usual_before,
            count(*) over before as blocks_before,
            quantile_cont(seconds, 0.1) over behind as low_behind,
            median(seconds) over behind as usual_behind,
            count(*) over behind as blocks_behind,
            last_value(seconds) over behind as last_seconds,
            max(seconds) over before as highest,
            min(seconds) over behind as lowest
        from pace_block
        where block > 0 and (points >= 3 or n < 40)  -- the first block is the start of the program
        window
            before as (
                partition by writer, run
                order by block
                rows between unbounded preceding and 1 preceding
            ),
            behind as (
                partition by writer, run
                order by block
                rows between current row and unbounded following
            )
    ),
    best as (
        from sides
        where
            blocks_before >= 3
            and blocks_behind >= 2
            and low_behind > 1.15 * high_before
            and usual_behind > 1.25 * usual_before
            and last_seconds > 1.2 * high_before
            -- single steps, each of them
            and (
                n >= 40
                or blocks_before >= 5
                and blocks_behind >= 4
                and lowest > 1.5 * highest
                -- one of many steps each, and many times as long
                or apart >= 10
                and blocks_behind >= 3
                and lowest > 5 * highest
            )
        -- of equals the last: quantiles forgive a block on the wrong side
        qualify
            row_number() over (
                partition by writer, run order by low_behind / high_before desc, block desc
            )
            = 1
    ),
    starts as (
        -- To the row: the first of five of which four are slow.
        select b.writer, b.run, min(p.k) as k
        from best b
        join
            (
                select
                    writer,
                    run,
                    k,
                    seconds,
                    avg(seconds) over w as mean,
                    list(seconds) over w as five
                from pace
                window
                    w as (
                        partition by writer, run order by k rows between current row and 4 following
                    )
            ) p
            on p.writer = b.writer
            and p.run = b.run
            and p.k between b.first_k - b.points and b.last_k
        where
            p.seconds > sqrt(b.high_before * b.low_behind)
            and len(p.five) >= 3
            and len(list_filter(p.five, lambda s:s > sqrt(b.high_before * b.low_behind)))
            >= least(len(p.five), 4)
        group by all
    )
select
    p.*,
    w.source,
    w.name,
    w.canonical,
    w.rank,
    w.host,
    b.usual_before as before,
    b.usual_behind as behind,
    b.usual_behind / b.usual_before as ratio,
    b.last_seconds > 1.25 * b.low_behind and b.blocks_behind >= 4 as grows,
    greatest(b.points, 5) as block_points
from starts s
join best b on b.writer = s.writer and b.run = s.run
join pace p on p.writer = s.writer and p.run = s.run and p.k = s.k
join pace_writer w on w.writer = s.writer
