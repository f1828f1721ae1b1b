-- table: one row per peer that a process could not connect to by UCX, and per reason; in the
-- columns of connect_failure. attempts: how often; port, time and line: the first.
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
