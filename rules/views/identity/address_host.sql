-- view: The host that an address is one of, where any line tells it and no other line another one.
select
    address,
    min(short_host(host)) as host,
    min(file_id) as file_id,
    arg_min(line_no, file_id) as line_no
from identity_link
where address is not null and host is not null and host <> address
group by address
having count(distinct short_host(host)) = 1
