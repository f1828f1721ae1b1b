-- table:
select *
from missing_rank_told
union all by name
select *
from missing_rank_sample
where
    exists (from missing_rank_told where len(ranks) > 0)
    and not exists (from missing_rank_told where source = 'stacks')
