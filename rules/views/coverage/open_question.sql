-- table: the one row that says what the root causes are about, and whether they are settled.
-- Without a root cause there is none.
select
    bool_or(settled) as settled,
    bool_or(hangs) as hangs,
    bool_or(network) as network,
    bool_or(kernel_would_tell) as kernel_would_tell,
    bool_or(rule = 'hang.init_incomplete') as at_init,
    bool_or(rule in ('hang.collective_timeout', 'hang.missing_rank')) as in_collective
from root_cause
having count(*) > 0
