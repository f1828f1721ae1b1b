-- table: One row per rank and collective of the default group that its watchdog gave up.
select *
from c10d_timeout_once
where
    source = 'watchdog'
    and coalesce(grp_desc, 'default_pg') = 'default_pg'
    and coalesce(grp, '0') in ('0', 'default_pg')
