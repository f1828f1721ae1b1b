-- table: one row per connection that the other end reset, as a trace shows, where the process then
-- failed, or had made the connection itself and did nothing more; in the shape of rules/views.
select 'strace' as source, file_id, line_no, time, host, rank, peer, port
from strace_lost_connection
where errno = 'ECONNRESET' and (ended_badly or peer is not null and lines_after <= 60)
