-- view: one row per exclusive file lock that a traced thread took and did not release.
select k.path, k.tid, k.pid, k.file_id, k.line_no
from strace_known k
where
    k.syscall = 'flock'
    and k.result = '0'
    and contains(k.args, 'LOCK_EX')
    and not exists (
        from strace_known u
        where
            u.path = k.path
            and u.tid = k.tid
            and u.syscall = 'flock'
            and contains(u.args, 'LOCK_UN')
            and u.line_no > k.line_no
    )
