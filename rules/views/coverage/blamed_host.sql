-- table: one row per host and root cause whose reason is to be looked for on that host. Of a
-- connection that is the end that did not answer.
with
    named as (
        select unnest(hosts) as host, rule
        from root_cause
        where blames_hosts
        union all
        select coalesce(a.host, c.peer), c.rule
        from root_cause c
        left join address_host a on a.address = c.peer
    )
select distinct short_host(host) as host, rule
from named
where
    host not in ('localhost', '0.0.0.0', '::', '::1')
    and not starts_with(host, '127.')
    and short_host(host) <> ''
    -- a process by the name that its program gives it
    and not starts_with(host, 'RPC worker ')
