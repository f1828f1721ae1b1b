-- table: one row per process of which a dump was tried in vain, and why (failure): the head of
-- the dump, and the line that says so (failure_line).
with
    spy_head as (from stack_head where source_kind = 'py-spy'),
    failure as (
        -- The numbered causes of an error look like lines of a task of srun: the pid they name
        -- tells whose they are.
        select
            f.file_id,
            f.line_no,
            coalesce(f.stream, '') as stream,
            f.pid,
            f.rank,
            f.reason,
            coalesce(o.line_no, h.line_no) as head,
            coalesce(o.stream, h.stream) as head_stream,
            coalesce(o.pid, h.pid) as head_pid,
            coalesce(o.rank, h.rank) as head_rank
        from stack_failure as f
        asof left join
            stack_head as h
            on f.file_id = h.file_id
            and coalesce(f.stream, '') = h.stream
            and f.line_no >= h.line_no
        asof left join
            spy_head as o on f.file_id = o.file_id and f.pid = o.pid and f.line_no >= o.line_no
    ),
    python as (
        select p.file_id, p.line_no, h.line_no as head
        from stack_python as p
        asof join
            spy_head as h
            on p.file_id = h.file_id
            and coalesce(p.stream, '') = h.stream
            and p.line_no >= h.line_no
    ),
    head_failure as (
        select
            file_id, head_stream, head, arg_max(reason, line_no) as reason, max(line_no) as line_no
        from failure
        group by file_id, head_stream, head
    ),
    -- Dumps that several wrote into one file at once: a stack is behind another's head, and one
    -- that is missing may be cut off, or anywhere.
    interleaved as (
        select distinct t.file_id, t.stream
        from stack_unit as t
        join
            spy_head as h
            on t.file_id = h.file_id
            and t.stream = h.stream
            and h.line_no > t.unit_head
            and h.line_no < t.line_no
        where t.source_kind = 'py-spy'
    ),
    -- A head alone is no dump (many programs print `Process 3: ...`); with the Python line below
    -- it, it is. Threads without frames at the end of a file are what is left of one that is cut.
    seen as (
        select h.*, r.reason, r.line_no as failure_line
        from stack_head as h
        join file as f using (file_id)
        anti join
            stack_main_thread as d
            on d.file_id = h.file_id
            and d.stream = h.stream
            and d.unit_head = h.line_no
        left join
            head_failure as r
            on r.file_id = h.file_id
            and r.head_stream = h.stream
            and r.head = h.line_no
        where
            h.source_kind in ('py-spy', 'mark')
            and (
                r.reason is not null
                or h.source_kind = 'py-spy'
                and exists (from python as p where p.file_id = h.file_id and p.head = h.line_no)
                and (
                    f.lines - h.line_no <= 2
                    or exists (
                        from stack_head as o where o.file_id = h.file_id and o.line_no > h.line_no
                    )
                )
                and not exists (
                    from interleaved as i where i.file_id = h.file_id and i.stream = h.stream
                )
            )
    )
select
    file_id,
    stream,
    line_no as unit_head,
    line_no,
    source_kind,
    host,
    rank,
    local_rank,
    task,
    time,
    pid as head_pid,
    cmdline,
    rank as head_rank,
    coalesce(reason, 'no_stack') as failure,
    failure_line
from seen
union all by name
-- Ranks named as silent without an answer of their own; failures that name a pid in JSON, without
-- a head.
select
    file_id,
    stream,
    line_no,
    'failure' as source_kind,
    rank,
    pid as head_pid,
    rank as head_rank,
    reason as failure,
    line_no as failure_line
from failure
where (rank is not null or pid is not null) and head is null
