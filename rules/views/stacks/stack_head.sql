-- table: one row per head of a dump: what names a process, or a mark above its threads.
select
    file_id,
    line_no,
    coalesce(stream, '') as stream,
    pid,
    host,
    rank,
    local_rank,
    task,
    cmdline,
    source_kind,
    occasion,
    time
from stack_process
union all by name
select
    m.file_id,
    m.line_no,
    -- The lines of the dump itself may lack the prefix of the mark above them.
    coalesce(p.stream, m.stream, '') as stream,
    m.pid,
    m.host,
    m.rank,
    m.local_rank,
    m.task,
    'mark' as source_kind,
    m.kind as occasion,
    m.time
from stack_mark as m
asof left join
    stack_process as p on p.file_id = m.file_id and p.pid = m.pid and p.line_no >= m.line_no
where m.kind not in ('date', 'deadlock', 'debugger')
