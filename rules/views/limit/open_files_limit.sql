-- table: one row per system call of a trace that asks for or sets a process's limit on open files:
-- nofile = that limit.
select
    file_id,
    line_no,
    syscall,
    nullif(tid, 0) as pid,
    try_cast(regexp_extract(args, 'rlim_cur=([0-9]+)', 1) as bigint)
    * case when contains(args, '*1024,') then 1024 else 1 end as nofile
from strace_notable
where
    syscall in ('prlimit64', 'getrlimit', 'ugetrlimit', 'setrlimit')
    and contains(args, 'RLIMIT_NOFILE')
