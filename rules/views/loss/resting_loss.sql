-- table: One row per curve of a loss that ends with the same value twice, above zero: what it rests
-- at. series_points: how many values it has.
select
    series_id, max_by(value, {'turn':turn, 'ordinal':ordinal}) as value, count(*) as series_points
from series_point
where series_id in (select series_id from series where canonical in ('loss', 'adversarial_loss'))
group by series_id
having
    isfinite(value)
    and value > 0
    and len(list_distinct(max_by(value, {'turn':turn, 'ordinal':ordinal}, 2))) = 1
    and count(*) > 1
