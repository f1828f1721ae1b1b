/*
title      = "The run could never have worked: arguments, a missing file, a permission"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["crash.exception", "hang", "network.peer_lost", "network.connect_failure", "network.ib_error"]
about      = """
The program refused its arguments, or failed before the first training step because a file, a module or a right is missing.
"""
remedy     = "Correct the named argument, path or right and start again; nothing has to be recovered."
false_positives = "A file that vanished during the run, where no training step is logged."
references = ["https://docs.python.org/3/library/argparse.html"]
*/
with
    told as (
        select
            kind as what,
            coalesce(program || ': ', '') || message as message,
            null as type,
            rank,
            host,
            pid,
            time,
            file_id,
            line_no,
            null as file,
            null as line,
            'definite' as grade
        from usage_error u
        where
            not exists (from metric_span m where m.file_id = u.file_id and m.last_line > u.line_no)
        union all
        select
            case
                when class in ('PermissionError')
                then 'permission'
                when
                    class in (
                        'FileNotFoundError',
                        'ModuleNotFoundError',
                        'IsADirectoryError',
                        'NotADirectoryError'
                    )
                then 'missing file'
                else 'arguments'
            end,
            class || ': ' || split_part(message, chr(10), 1),
            type,
            rank,
            host,
            pid,
            time,
            file_id,
            line_no,
            file,
            line,
            'probable'
        from fatal_exception e
        where
            kind = 'config'
            and certain
            and not exists (
                from metric_span m where m.file_id = e.file_id and m.first_line < e.line_no
            )
            -- a library that refuses what it was given because there was no memory for it
            and not exists (
                from oom_event o
                where
                    o.file_id = e.file_id
                    and o.line_no between e.raised_line - 200 and e.raised_line
            )
        union all
        select what, message, null, rank, host, pid, time, file_id, line_no, null, null, grade
        from config_error_nccl
        union all
        select
            'port',
            coalesce('Port ' || port, 'The port')
            || ' of the store is taken: another job on this host listens there, or one that ended has left a process behind',
            null,
            rank,
            host,
            pid,
            time,
            file_id,
            line_no,
            null,
            null,
            'definite'
        from c10d_store s
        where event = 'port_taken' and not exists (from metric_span m where m.file_id = s.file_id)
    ),
    grouped as (
        select
            what,
            regexp_replace(message, '[0-9]+', '#', 'g') as alike,
            min_by(message, line_no) as message,
            min_by(type, line_no) as type,
            any_value(file) as file,
            any_value(line) as line,
            min(grade) as grade,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            min(time) as started,
            count(*) as times,
            list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence,
            min(file_id * 100000000 + line_no) as place
        from told
        group by all
    )
select
    left(message, 300) as summary,
    evidence,
    started as at,
    ranks,
    hosts,
    grade as confidence,
    what,
    left(message, 1000) as message,
    type,
    file,
    line,
    times,
    try_cast(regexp_extract(message, '^Port ([0-9]+) ', 1) as bigint) as port,
    case
        what
        when 'port'
        then
            'Find who holds the port (ss -ltnp) and end a process that was left behind, or give this job its own: --master-port, or --rdzv-endpoint=localhost:0 on one node.'
    end as action,
    nullif(regexp_extract(message, '''(/[^'']+|[^'' ]+\.[a-z0-9]+)''', 1), '') as path
from grouped
qualify row_number() over (order by grade, place) = 1
