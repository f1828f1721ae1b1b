-- Settings and versions that processes print; those on which they differ are on top.
select name, count(distinct value) over (partition by name) as
values
    ,
    value,
    list(distinct rank order by rank) filter (where rank is not null) as ranks,
    list(distinct host order by host) filter (where host is not null) as hosts
from setting
group by name, value
order by
values desc, name, value
