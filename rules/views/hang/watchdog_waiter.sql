-- view: Ranks whose watchdogs gave up in the default group, and those that torch's communication
-- layer heard anything of.
select *
from c10d_timeout_once
where
    source = 'watchdog'
    and coalesce(grp_desc, 'default_pg') = 'default_pg'
    and coalesce(grp, '0') in ('0', 'default_pg')
