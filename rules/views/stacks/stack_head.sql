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
    file_id,
    line_no,
    coalesce(stream, '') as stream,
    pid,
    host,
    rank,
    local_rank,
    task,
    'mark' as source_kind,
    kind as occasion,
    time
from stack_mark
where kind <> 'date'
