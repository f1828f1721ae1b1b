-- table: One row per curve: a metric of one writer over all files that go on in each other
-- (series_member). stepless: its values are only counted; averaged: they are means; searched:
-- whether the engine looks for excursions in it; driver_id: the series of its learning rate.
with
    one as (
        select
            series_id,
            any_value(family) as family,
            any_value(name) as name,
            any_value(canonical) as canonical,
            any_value(rank) as rank,
            sum(points)::bigint as points,
            sum(stepped) = 0 as stepless,
            bool_or(averaged) as averaged,
            max(planned) as planned,
            count(distinct file_id) as files
        from series_member
        group by series_id
    )
-- Step times have a search of their own (rules/views/pace); a part of the loss with a handful
-- of points shows nothing.
select
    s.*,
    s.canonical not in ('learning_rate', 'step_seconds')
    and (
        s.canonical <> 'component_loss'
        or s.points >= 40
        or not exists (
            from one o
            where o.family = s.family and o.canonical = 'loss' and not is_kind_of_loss(o.name)
        )
    ) as searched,
    (
        select min(d.series_id)
        from one d
        where
            d.family = s.family
            and d.canonical = 'learning_rate'
            and d.rank is not distinct from s.rank
    ) as driver_id
from one s
