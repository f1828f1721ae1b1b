-- table: One row per training loss that grows without bound. Below zero: it begins like any other,
-- and at the end its size is over 10,000 times that and has doubled twice in the last six tenths.
-- Upwards, a loss of a policy, of a critic or of one side of a game, which may well rise a little:
-- it is a million times higher all through its last third, or it has grown by a quarter and more
-- from each twelfth to the next through two thirds, to 20 times the lowest, and no reward with it.
-- Any other: it is 20 times higher all through its last third than in its first, and 1,000 times
-- its lowest.
-- Upwards also the norm of the gradients (of_gradient), from one fifth to the next, to over a
-- million and ten times where it began, or to 2,000 times that and over 1,000, while the loss does
-- not fall. absurd: it has been beyond 1e15 from its first point to its last (1e20, of few points):
-- no measure of a model that learns. Or, of a handful of points, together with that of the
-- validation (validation_rose).
-- base, level: where it began and ended; lowest: how far down it went; file_id, line_no: the first
-- of its points that far off; last_*: its last point.
with
    curve as (
        select
            p.*,
            s.name,
            s.canonical,
            s.family,
            s.rank as series_rank,
            s.stepless,
            ntile(10) over in_order as part,
            ntile(12) over in_order as twelfth,
            ntile(5) over in_order as fifth,
            row_number() over in_order as place,
            count(*) over (partition by p.series_id) as points
        from series_point p
        join series s using (series_id)
        where
            s.canonical in ('loss', 'policy_loss', 'value_loss', 'adversarial_loss', 'grad_norm')
            and isfinite(p.value)
        window in_order as (partition by p.series_id order by p.turn, p.ordinal)
    ),
    growth as (
        select
            series_id,
            count_if(twelfth > 4 and level > 1.25 * before) as grown,
            min(level) as lowest_level,
            arg_max(level, twelfth) as end_level
        from
            (
                select *, lag(level) over (partition by series_id order by twelfth) as before
                from
                    (
                        select series_id, twelfth, median(value) as level
                        from curve
                        where points >= 240 and canonical not in ('loss', 'grad_norm')
                        group by series_id, twelfth
                    )
            )
        group by series_id
    ),
    brief as (  -- of a handful of points, whose last two are above all before
        select
            s.family,
            s.series_id,
            s.canonical,
            count(*) as points,
            max(p.value) filter (p.from_end > 2) as high,
            arg_max(p.value, - p.from_end) as last
        from series s
        join
            (
                select
                    *,
                    row_number() over (
                        partition by series_id order by turn desc, ordinal desc
                    ) as from_end
                from series_point
                where series_id in (select series_id from series where points < 6)
            ) p using (series_id)
        where s.canonical in ('loss', 'validation_loss') and s.files = 1
        group by s.family, s.series_id, s.canonical
        having
            bool_and(isfinite(p.value) and p.value > 0)
            and last > 20 * high
            and min(p.value) filter (p.from_end = 2) > high
    ),
    course_of_loss as (
        select
            family,
            median(value) filter (fifth = 1) as first_level,
            median(value) filter (fifth = 5) as last_level
        from curve
        where canonical = 'loss'
        group by family, series_id
    ),
    whole as (
        select
            series_id,
            any_value(name) as name,
            any_value(canonical) = 'grad_norm' as of_gradient,
            any_value(series_rank) as series_rank,
            any_value(stepless) as stepless,
            any_value(points) as points,
            min(value) as lowest,
            arg_max(file_id, place) as last_file,
            arg_max(line_no, place) as last_line,
            max(step) as last_step
        from curve
        group by series_id
    ),
    departure as (
        select
            series_id,
            true as below_zero,
            median(value) filter (place <= 10) as base,
            median(value) filter (part = 4) as early_level,
            median(value) filter (part = 7) as middle_level,
            median(value) filter (part = 10) as level,
            10 * greatest(abs(median(value) filter (place <= 10)), 1) as far
        from curve
        where points >= 60 and canonical = 'loss'
        group by series_id
        having
            base > -1
            and early_level < 0
            and middle_level < 2 * early_level
            and level < 2 * middle_level
            and level < -10000 * greatest(abs(base), 1)
        union all by name
        select
            series_id,
            false as below_zero,
            median(value) filter (3 * place <= points) as base,
            median(value) filter (3 * place > 2 * points) as level,
            1000 * greatest(median(abs(value)) filter (3 * place <= points), 1) as far
        from curve
        where points >= 6 and canonical not in ('loss', 'grad_norm')
        group by series_id
        having min(value) filter (3 * place > 2 * points) > 1000 * far
        union all by name
        select
            series_id,
            false as below_zero,
            min(value) as base,
            median(value) filter (3 * place > 2 * points) as level,
            20 * max(value) filter (3 * place <= points) as far
        from curve
        where points >= 6 and canonical = 'loss'
        group by series_id
        having min(value) filter (3 * place > 2 * points) > greatest(far, 1000 * min(value), 1000)
        union all by name
        -- sums over a data set of many values stay far below
        select
            series_id,
            false as below_zero,
            case
                when
                    any_value(canonical) = 'loss'
                    or arg_max(value, place) < 2 * arg_min(value, place)
                then true
            end as absurd,
            coalesce(
                median(value) filter (part = 1 and points >= 10), arg_min(value, place)
            ) as base,
            coalesce(median(value) filter (part = 10), arg_max(value, place)) as level,
            0 as far
        from curve
        where
            points >= 10
            and canonical = 'loss'
            or points >= 3
            and canonical in ('loss', 'policy_loss', 'value_loss')
        group by series_id
        having min(value) >= if(count(*) >= 10 and any_value(canonical) = 'loss', 1e15, 1e20)
        union all by name
        -- five points or less, which no other search judges: the last two of the training and of
        -- the validation are above all before, the last twenty times
        select
            l.series_id,
            false as below_zero,
            true as validation_rose,
            l.high as base,
            l.last as level,
            l.high as far
        from brief l
        where
            l.canonical = 'loss'
            and l.points between 4 and 5
            and exists (
                from brief v
                where
                    v.canonical = 'validation_loss'
                    and v.family = l.family
                    and v.points between 4 and 5
            )
        union all by name
        select
            series_id,
            false as below_zero,
            lowest_level as base,
            end_level as level,
            5 * lowest_level as far
        from growth
        where
            grown = 8
            and lowest_level > 0
            and end_level > 20 * lowest_level
            -- what rises with the reward is its size
            and exists (
                from policy_level l
                where
                    l.canonical = 'reward'
                    and l.part = l.parts
                    and l.level <= (
                        select max(e.level)
                        from policy_level e
                        where
                            e.source = l.source and e.canonical = 'reward' and 3 * e.part <= e.parts
                    )
            )
        union all by name
        select
            series_id,
            false as below_zero,
            min(level) as base,
            max(level) as level,
            5 * min(level) as far
        from
            (
                select series_id, family, fifth, median(value) as level
                from curve
                where points >= 8 and canonical = 'grad_norm'
                group by series_id, family, fifth
            ) g
        group by series_id, family
        having
            (
                max(level) > 1e6
                and max(level) > 10 * min(level)
                or max(level) > 1000
                and max(level) > 2000 * min(level)
            )
            and list(level order by fifth) = list(level order by level)
            and not exists (
                from course_of_loss l
                where l.family = g.family and l.last_level < 0.9 * l.first_level
            )
    )
select
    w.*,
    d.* exclude (series_id, far, early_level, middle_level),
    arg_min(p.file_id, p.place) as file_id,
    arg_min(p.line_no, p.place) as line_no,
    min(p.step) as from_step,
    arg_min(p.time, p.place) as time
from departure d
join whole w using (series_id)
join
    curve p
    on p.series_id = d.series_id
    and case when d.below_zero then p.value < - d.far else p.value > d.far end
group by all
