-- table: one row per account that counts of who is missing, in the columns of
-- missing_rank_account. A single sample of stacks counts beside another source that names ranks,
-- and not by itself.
from missing_rank_account
union all by name
from missing_rank_sample
where
    exists (from missing_rank_account where len(ranks) > 0)
    and not exists (from missing_rank_account where source = 'stacks')
