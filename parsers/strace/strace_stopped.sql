-- table: one row per process whose every thread was stopped (SIGSTOP, SIGTTIN) and never went
-- on: it is not blocked in a call, the others wait for it.
select
    t.trace,
    t.pid,
    any_value(th.rank) as rank,
    any_value(th.host) as host,
    min(s.file_id) as file_id,
    min(s.line_no) as line_no,
    count(*) as threads,
    any_value(s.signal_name) as signal_name,
    any_value(s.at_s) as at_s
from strace_event s
join strace_thread t on t.trace = s.trace and t.tid = s.tid
join strace_tail l on l.file_id = s.file_id and l.tid = s.tid and l.last_line = s.line_no
join strace_thread th on th.trace = t.trace and th.tid = t.pid
where s.kind = 'stopped' and t.pid is not null
group by t.trace, t.pid
