-- Hosts with their ranks, and what happened on each.
select
    h.host,
    h.ranks,
    h.addresses,
    count(i.id) as incidents,
    list(i.rule order by i.id) filter (where i.id is not null) as rules
from host h
left join incident i on list_contains(i.hosts, h.host) and i.severity <> 'info'
group by all
order by incidents desc, h.host
