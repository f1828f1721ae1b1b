-- table: one row per thread or process (child) that another one (parent) made; thread: in the
-- same process.
select
    trace,
    file_id,
    line_no,
    tid as parent,
    try_cast(result as bigint) as child,
    contains(args, 'CLONE_THREAD') as thread
from strace_notable
where syscall in ('clone', 'clone3', 'fork', 'vfork') and try_cast(result as bigint) > 0
