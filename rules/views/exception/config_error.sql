-- table: One row per report that the job was set up in a way that cannot work, before any training
-- step: what = arguments | missing file | permission | command | port | library | device |
-- host name | interpreter | held; event says which of NCCL's and the store's errors it is (see
-- config_error_nccl, port_taken, and tpu_in_use: holder_pid has it, on_cpu where the program goes
-- on without it); alike = equal for reports of the same error.
with
    refusal as (
        select
            kind as what,
            case when kind = 'held' then 'tpu_in_use' end as event,
            nullif(program, 'pydantic') as program,
            coalesce(program || ': ', '') || message as message,
            try_cast(
                nullif(regexp_extract(message, 'process with pid ([0-9]+)', 1), '') as bigint
            ) as holder_pid,
            nullif(
                kind = 'held'
                and exists (
                    from usage_error c
                    where c.kind = 'cpu instead' and c.file_id = u.file_id and c.line_no > u.line_no
                ),
                false
            ) as on_cpu,
            rank,
            host,
            pid,
            time,
            file_id,
            line_no,
            "line",
            -- a launcher that knows only that its daemons did not come up
            case
                when starts_with(message, 'was unable to reliably start') or program = 'pydantic'
                then 'probable'
                else 'definite'
            end as confidence
        from usage_error u
        where
            kind <> 'cpu instead'
            -- requests and answers of a model are validated as settings are: the last word counts
            and not (
                program = 'pydantic'
                and (
                    exists (from file as f where f.file_id = u.file_id and f.lines - u.line_no > 20)
                    or exists (from metric_span m where m.file_id = u.file_id)
                )
            )
            -- a Go program says the same of a tool that it can do without, and goes on
            and not (
                starts_with(message, 'exec: ')
                and program is null
                and exists (from file as f where f.file_id = u.file_id and f.lines - u.line_no > 20)
            )
            -- what runs on the CPU instead goes on
            and (
                on_cpu
                or not exists (
                    from metric_span m where m.file_id = u.file_id and m.last_line > u.line_no
                )
            )
            -- a script that its shell could not read had been mended before a program of it raised
            -- something
            and not (
                kind = 'script'
                and exists (
                    from fatal_exception e
                    where e.certain and e.file_id = u.file_id and e.traceback_line - u.line_no > 20
                )
            )
            -- what a script could not load, its programs did without: one of them trained, they
            -- failed of something else, or went on and nothing tells of a bad end
            and not (
                program in ('Lmod', 'module')
                and (
                    exists (from metric_span)
                    or exists (
                        from fatal_exception e
                        where
                            e.certain
                            and e.file_id = u.file_id
                            and e.traceback_line > u.line_no
                            and e.kind <> 'config'
                            and not regexp_matches(
                                e.class, '^(?:ImportError|OSError|CalledProcess)'
                            )
                    )
                    -- the shell itself did not get to their end
                    or exists (
                        from usage_error s
                        where s.kind = 'script' and s.file_id = u.file_id and s.line_no > u.line_no
                    )
                    or exists (
                        from file as f where f.file_id = u.file_id and f.lines - u.line_no > 20
                    )
                    and not exists (from trouble_sign)
                )
            )
            -- ssh has said why
            and not (
                starts_with(message, 'was unable to reliably start')
                and exists (from library_error where library = 'socket')
            )
    ),
    early_exception as (
        select
            case
                when class = 'PermissionError'
                then 'permission'
                when
                    class in (
                        'FileNotFoundError',
                        'FileNotFoundException',
                        'NoSuchFileException',
                        'IsADirectoryError',
                        'NotADirectoryError'
                    )
                    or misses_input(class, message)
                    or lacks_module(class, message)
                then 'missing file'
                when sees_no_gpu(message)
                then 'device'
                when own_name_unresolved(message)
                then 'host name'
                else 'arguments'
            end as what,
            case
                when sees_no_gpu(message)
                then 'no_gpu'
                when own_name_unresolved(message)
                then 'own_name'
            end as event,
            class || ': ' || split_part(message_in_line(message), chr(10), 1) as message,
            type,
            rank,
            host,
            pid,
            time,
            file_id,
            line_no,
            attempt,
            -- a library's own place helps nobody
            case when frames is null then file else frame_file(own_frame(frames)) end as file,
            case when frames is null then line else frame_line(own_frame(frames)) end as line,
            'probable' as confidence
        from fatal_exception e
        cross join
            lateral(
                select coalesce(max(a.line_no), 0) as attempt_line, max(a.attempt) as attempt
                from job_attempt a
                where a.file_id = e.file_id and a.line_no <= e.line_no
            )
        where
            e.kind = 'config'
            -- what is renamed, the program made itself
            and not (class = 'FileNotFoundError' and contains(message, ''' -> '''))
            and (
                certain
                or lines_after < 3
                and (refuses_setting(class, message) or own_name_unresolved(message))
                -- what C++ checks ends its program
                or class = 'Check failed'
                and misses_input(class, message)
            )
            -- mended: a further attempt failed of something else
            and not exists (
                from job_attempt a
                join fatal_exception l on l.file_id = a.file_id and l.line_no >= a.line_no
                where
                    a.file_id = e.file_id
                    and a.line_no > e.raised_line
                    and l.certain
                    and l.kind <> 'config'
            )
            -- no GPU is found at a start only, also at that of a further attempt
            and not exists (
                from metric_span m
                where
                    m.file_id = e.file_id
                    and case
                        when sees_no_gpu(message)
                        then m.last_line > e.line_no
                        else m.first_line < e.line_no and m.last_line >= attempt_line
                    end
            )
            -- the other stream of its process, which had come to train
            and not (
                e.rank is not null
                and not sees_no_gpu(message)
                and exists (
                    from metric m
                    join file f on f.file_id = m.file_id
                    where m.rank = e.rank and m.file_id <> e.file_id and f.rank = e.rank
                )
                and exists (from file f where f.file_id = e.file_id and f.rank = e.rank)
            )
            -- a library that refuses what it was given because there was no memory for it
            and not exists (
                from oom_event o
                where
                    o.file_id = e.file_id
                    and o.line_no
                    between greatest(attempt_line, e.raised_line - 200) and e.raised_line
            )
    ),
    -- Ports are taken at a start: what an earlier attempt logged does not count, what comes later
    -- does.
    taken_port as (
        select 'port' as what, event, port, rank, host, pid, time, file_id, line_no
        from c10d_store s
        where
            event = 'port_taken'
            and not exists (
                from metric_span m where m.file_id = s.file_id and m.last_line > s.line_no
            )
        union all by name
        select
            'port' as what,
            'port_in_use' as event,
            x.port,
            e.rank,
            e.host,
            e.pid,
            e.time,
            e.file_id,
            e.line_no
        from fatal_exception e
        join exception_errno x using (file_id, line_no)
        where
            x."class" = 'port'
            and e.certain
            and not exists (
                from metric_span m where m.file_id = e.file_id and m.last_line > e.line_no
            )
            and not exists (from c10d_store where event = 'port_taken')
    ),
    refused_library as (
        select
            'library' as what,
            library as program,
            concat_ws(
                ': ', call, coalesce(text, name) || ' (' || upper(library) || ': ' || meaning || ')'
            ) as message,
            rank,
            host,
            pid,
            time,
            file_id,
            line_no,
            'probable' as confidence
        from library_failure f
        where
            "class" in ('config', 'permission', 'startup')
            and not exists (from metric_span m where m.file_id = f.file_id)
            and exists (from trouble_sign)
            and not exists (from oom_event)
            and not exists (from rdma_failure)
            and not exists (from connect_failure)
            -- as the runtime of containers passes it on
            and not exists (
                from scheduler_event s where s.file_id = f.file_id and s.line_no = f.line_no
            )
    ),
    -- All processes ended with a code that means the command could not be run, and nobody says
    -- more.
    not_started as (
        select
            'command' as what,
            'not_started' as event,
            e.source as program,
            any_value(c.meaning) as message,
            e.file_id,
            min(e.line_no) as line_no,
            any_value(e.host) as host,
            min(e.time) as time,
            'probable' as confidence
        from "exit" e
        join exit_code c on c.said_by = 'shell' and c.code = e.exitcode and c.class = 'config'
        where
            e.source <> 'subprocess'
            and not exists (from fatal_exception)
            and not exists (from training_line)
            and not exists (
                from "exit" x where coalesce(x.exitcode, 0) <> 0 and x.exitcode <> e.exitcode
            )
        group by e.source, e.exitcode, e.file_id
    )
select *, report_alike(null, null, null, message) as alike
from refusal
union all by name
select *, report_alike(null, null, null, message) as alike
from refused_library
union all by name
select *, report_alike(event, null, null, message) as alike
from early_exception
union all by name
select
    'arguments' as what,
    *,
    error as message,
    'definite' as confidence,
    -- wrong once, a mapping is wrong for many GPUs
    report_alike(event, case when event <> 'duplicate_gpu' then bus_id end, null, error) as alike
from config_error_nccl
union all by name
select *, 'definite' as confidence, report_alike(event, null, port, null) as alike
from taken_port
union all by name
select *, report_alike(event, null, null, message) as alike
from not_started
