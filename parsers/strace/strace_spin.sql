-- table: one row per process whose main thread spins: nearly all its calls ask whether it may go
-- on. host is unknown in traces of one host.
select distinct t.pid, t.host
from strace_pace as p
join strace_thread as t on t.trace = p.trace and t.tid = p.tid
where t.pid is not null
