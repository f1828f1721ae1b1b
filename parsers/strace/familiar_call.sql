-- table: one row per call that never returned but that nothing tells to be stuck: its thread did
-- the same to the same file before, or it opens code. A busy program is always in the middle of
-- a call.
with
    unfinished as (
        select
            k.file_id,
            k.line_no,
            k.trace,
            k.syscall,
            k.args,
            k.fd,
            k.path,
            regexp_replace(k.path, '[^/]*$', '') as folder,
            k.syscall in ('open', 'openat', 'creat') as opens,
            b.tid,
            f.own_tid
        from strace_known k
        join strace_file f on f.file_id = k.file_id
        join strace_opening b on b.file_id = k.file_id and b.line_no = k.line_no
        where k.never_returned
    )
select distinct u.file_id, u.line_no
from unfinished u
where
    exists (
        from strace_quick q
        where
            q.file_id = u.file_id
            and q.line_no < u.line_no
            and q.syscall = u.syscall
            and coalesce(q.pid, u.own_tid) = u.tid
            and starts_with(u.args, q.args)
    )
    or exists (
        from strace_line q
        where
            q.kind = 'call'
            and q.errno is null
            and q.file_id = u.file_id
            and q.line_no < u.line_no
            and q.syscall = u.syscall
            and coalesce(q.pid, u.own_tid) = u.tid
            and case
                when u.fd is not null
                then strace_fd(q.args) = u.fd
                else contains(q.args, '"' || u.path || '"')
            end
    )
    or u.opens
    and exists (from fd o where o.trace = u.trace and o.line_no < u.line_no and o.path = u.path)
    -- it opens one file of a folder after the other
    or u.opens
    and 3 <= (
        select count(*)
        from fd o
        where
            o.trace = u.trace
            and o.line_no < u.line_no
            and regexp_replace(o.path, '[^/]*$', '') = u.folder
    )
    or regexp_matches(
        u.path,
        '\.(?:py|pyc|so)(?:\.[0-9.]+)?$|^/(?:usr|lib|lib64|etc)/|/site-packages/|/dist-packages/'
    )
