-- table: One row per file whose steps are epochs or episodes (unit): the number of those is the
-- step wherever it is given.
select file_id, min(canonical) as unit
from metric
where canonical in ('epoch', 'episode')
group by file_id, canonical
having bool_and(value is not distinct from step) and count(distinct value) >= 3
