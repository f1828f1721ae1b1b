-- table: one row per connection that the other end reset, as a trace shows, where the process then
-- failed, or had made the connection itself and did nothing more; in the shape of rules/views.
select
    'strace' as source,
    file_id,
    line_no,
    time,
    host,
    rank,
    nullif(trim(regexp_replace(peer, ':[0-9]+$', ''), '[]'), '') as peer,
    try_cast(regexp_extract(peer, ':([0-9]+)$', 1) as bigint) as port
from strace_lost_connection
where errno = 'ECONNRESET' and (ended_badly or peer is not null and lines_after <= 60)
