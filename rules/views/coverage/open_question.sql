-- view: the one row that says what the root causes are about, and whether they are settled. found:
-- there is one at all.
select
    count(*) > 0 as found,
    coalesce(bool_or(settled), false) as settled,
    coalesce(bool_or(hangs), false) as hangs,
    coalesce(bool_or(network), false) as network,
    coalesce(bool_or(kernel_would_tell), false) as kernel_would_tell,
    coalesce(bool_or(rule = 'hang.init_incomplete'), false) as at_init,
    coalesce(
        bool_or(rule in ('hang.collective_timeout', 'hang.missing_rank')), false
    ) as in_collective
from root_cause
