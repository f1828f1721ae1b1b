-- table: One row per host: its names, addresses and ranks.
select
    short_host(host) as host,
    list(distinct host order by host) as names,
    list(distinct address order by address) filter (address is not null) as addresses,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    min(file_id) as file_id,
    arg_min(line_no, (file_id, line_no)) as line_no
from identity_link
where host is not null
group by short_host(host)
