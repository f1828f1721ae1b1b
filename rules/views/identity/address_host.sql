-- table: One row per network address whose host is known and undisputed.
select
    address,
    min(short_host(host)) as host,
    min(file_id) as file_id,
    arg_min(line_no, (file_id, line_no)) as line_no
from identity_link
where address is not null and host is not null and host <> address
group by address
having count(distinct short_host(host)) = 1
