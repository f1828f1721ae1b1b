-- table: one row per process that py-spy, strace or gdb could not look into, and of which there is
-- no other stack or trace. reason: permission | capability (root lacks SYS_PTRACE) | traced
-- (another debugger holds it) | gone. Who was meant is often told by a mark above it, or by the
-- name of the file.
with
    said as (
        select file_id, line_no, stream, pid, rank, host, tool, reason
        from attach_refusal
        union all
        -- Any program may print the cause alone: it is py-spy's below py-spy's own words.
        select f.file_id, f.line_no, f.stream, f.pid, f.rank, f.host, 'py-spy', f.reason
        from stack_failure f
        where
            f.reason in ('permission', 'traced')
            or f.reason in ('gone', 'capability')
            and exists (
                from stack_failure h
                where
                    h.reason = 'unreached'
                    and h.file_id = f.file_id
                    and f.line_no between h.line_no and h.line_no + 6
            )
    ),
    head as (
        select file_id, line_no, pid, rank, host
        from stack_mark
        where kind <> 'date' and (pid is not null or rank is not null)
        union all
        select file_id, line_no, pid, rank, host
        from stack_process
        where source_kind = 'py-spy' and pid is not null
    ),
    meant as (
        select
            s.file_id,
            s.line_no,
            s.tool,
            s.reason,
            coalesce(s.host, h.host, f.host) as host,
            coalesce(s.rank, h.rank, f.rank) as rank,
            coalesce(
                s.pid,
                h.pid,
                try_cast(
                    nullif(
                        regexp_extract(
                            f.path,
                            '(?:pid|py-?spy|dumps?/|stack|trace|native|strace|gdb)[-_.]?'
                            || '([0-9]{3,8})(?:\.[a-z]+)?$',
                            1
                        ),
                        ''
                    ) as bigint
                )
            ) as pid
        from said s
        join file f using (file_id)
        asof left join head h on h.file_id = s.file_id and h.line_no <= s.line_no
    ),
    known as (
        select m.* replace (coalesce(m.rank, k.rank) as rank, coalesce(m.host, k.host) as host)
        from meant m
        left join stack_known_rank k on k.pid = m.pid and (k.claims = 1 or k.host = m.host)
    )
select *
from known k
-- somebody else got in, or the same tool later
where
    not exists (
        from stack_main d
        where
            d.failure is null
            and (
                d.pid = k.pid
                and (d.host is null or k.host is null or d.host = k.host)
                or d.rank = k.rank
            )
    )
    and not exists (from strace_thread t where t.tid = k.pid)
-- gdb says in a line of its own why the kernel refused it
qualify
    row_number() over (
        partition by k.file_id, k.tool, k.pid, k.rank order by k.reason = 'traced' desc, k.line_no
    )
    = 1
