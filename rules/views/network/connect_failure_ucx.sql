-- table: Connections that UCX could not make, in the columns of connect_failure.
select
    'ucx' as source,
    peer,
    min(port) as port,
    error,
    count(*) as attempts,
    host,
    rank,
    pid,
    min(time) as time,
    file_id,
    min(line_no) as line_no
from ucx_connection
where event = 'connect_failed'
group by all
