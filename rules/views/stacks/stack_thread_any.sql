-- table: one row per thread of a dump. A debugger's stack without a thread header (eu-stack as
-- people paste it, `bt`) gets one; where no debugger is seen at work, or it looks at a crash, it is
-- a program's own backtrace.
select
    t.file_id,
    t.line_no,
    t.line_no as head_line,
    coalesce(t.stream, '') as stream,
    t.host,
    t.rank,
    t.local_rank,
    t.task,
    t.pid,
    coalesce(g.source_kind, t.source_kind) as source_kind,
    coalesce(g.tid, t.tid) as tid,
    coalesce(g.number, t.number) as number,
    t.status,
    coalesce(g.name, t.name) as name,
    t.time
from stack_thread as t
-- `thread apply all py-bt`: the debugger's head of the thread, and below it Python's.
left join
    stack_thread as g
    on g.file_id = t.file_id
    and g.line_no = t.line_no - 1
    and t.source_kind = 'gdb py-bt'
    and g.source_kind = 'gdb'
where
    not (
        t.source_kind = 'gdb'
        and exists (
            from stack_thread as p
            where
                p.file_id = t.file_id and p.line_no = t.line_no + 1 and p.source_kind = 'gdb py-bt'
        )
    )
union all by name
select
    f.file_id,
    f.line_no,
    null as head_line,
    coalesce(f.stream, '') as stream,
    f.host,
    f.rank,
    f.local_rank,
    f.task,
    f.pid,
    case
        when
            d.line_no is not null
            and not exists (from "exit" x where x.source = 'gdb' and x.file_id = f.file_id)
        then 'gdb'
        else 'backtrace'
    end as source_kind,
    f.time
from stack_frame as f
asof left join
    (select file_id, line_no from stack_mark where kind = 'debugger') as d
    on d.file_id = f.file_id
    and d.line_no <= f.line_no
anti join stack_thread as t on t.file_id = f.file_id and t.line_no = f.line_no - 1
anti join stack_selected as s on s.file_id = f.file_id and s.at = f.line_no
where f.depth = 1 and f.thread_line is null and f.bare_line is null
